/**
 * The database server that a run works on: the one DATABASE_URL names, or else our embedded Postgres.
 *
 * With DATABASE_URL set nothing is started and nothing is stopped: any Postgres from 15 on will do, with or without
 * TimescaleDB, Neon included.
 */
import pg from "pg";

import { describeDatabase, explainConnection, toClientConfig } from "./database-url.ts";
import { type PostgresOptions, type PostgresServer, startPostgres } from "./postgres-server.ts";
import { createMigratedDatabase, createScratchDatabase, type ScratchDatabase } from "./scratch-database.ts";

export type DatabaseServerOptions = PostgresOptions & {
  /** Where DATABASE_URL is looked up: `process.env`, or a test's own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
};

export type DatabaseServer = {
  /** Holds the password: not for logs. */
  readonly url: string;
  /** `Postgres 18.4 on 127.0.0.1:25432`: fit for a log. */
  readonly label: string;
  /** For chaos tests; null when the server is not ours to take down. */
  readonly embedded: PostgresServer | null;
  createScratchDatabase(): Promise<ScratchDatabase>;
  createMigratedDatabase(): Promise<ScratchDatabase>;
  /** Ends the embedded server; leaves any other alone. */
  stop(): Promise<void>;
};

/** Finds or starts the server and proves that it answers; a Failure says in one line why not. */
export async function openDatabaseServer(options: DatabaseServerOptions): Promise<DatabaseServer> {
  const given = options.environment["DATABASE_URL"];
  return given === undefined || given === "" ? openEmbedded(options) : openGiven(given);
}

async function openEmbedded(options: PostgresOptions): Promise<DatabaseServer> {
  const embedded = await startPostgres(options);
  return {
    url: embedded.url,
    label: `Postgres ${embedded.version} on 127.0.0.1:${embedded.port}`,
    embedded,
    createScratchDatabase: () => createScratchDatabase(embedded.url),
    createMigratedDatabase: () => createMigratedDatabase(embedded.url),
    stop: () => embedded.stop(),
  };
}

async function openGiven(url: string): Promise<DatabaseServer> {
  return {
    url,
    label: `Postgres ${await askVersion(url)} on ${describeDatabase(url)} (DATABASE_URL)`,
    embedded: null,
    createScratchDatabase: () => createScratchDatabase(url),
    createMigratedDatabase: () => createMigratedDatabase(url),
    stop: () => Promise.resolve(),
  };
}

async function askVersion(url: string): Promise<string> {
  const client = new pg.Client(toClientConfig(url));
  client.on("error", () => undefined);
  try {
    await client.connect();
    const result = await client.query<{ server_version: string }>("SHOW server_version");
    return result.rows[0]?.server_version.split(" ")[0] ?? "";
  } catch (error) {
    throw explainConnection(url, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}
