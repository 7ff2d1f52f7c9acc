/**
 * The database server that a run works on: the one DATABASE_URL names, or else our embedded Postgres.
 *
 * With DATABASE_URL set nothing is started and nothing is stopped: any Postgres from 15 on will do, with or without
 * TimescaleDB, Neon included.
 */

import { describeDatabase } from "./database-url.ts";
import { type PostgresOptions, startPostgres } from "./postgres-server.ts";
import { createMigratedDatabase, createScratchDatabase, type ScratchDatabase } from "./scratch-database.ts";
import { openClient } from "./open-client.ts";

export type DatabaseServer = AsyncDisposable & {
  /** Holds the password: not for logs. */
  readonly url: string;
  /** `Postgres 18.4 on 127.0.0.1:25432/postgres`: fit for a log. */
  readonly label: string;
  createScratchDatabase(): Promise<ScratchDatabase>;
  createMigratedDatabase(): Promise<ScratchDatabase>;
  /** Brings the embedded server back after its unexpected end; leaves any other alone. */
  start(): Promise<void>;
  /** Ends the embedded server; leaves any other alone. */
  stop(): Promise<void>;
};

/** Finds or starts the server and proves that it answers; a Failure says in one line why not. */
export async function openDatabaseServer(options: PostgresOptions = {}): Promise<DatabaseServer> {
  const given = process.env["DATABASE_URL"] ?? "";
  const embedded = given === "" ? await startPostgres(options) : null;
  const url = embedded?.url ?? given;
  const source = embedded === null ? " (DATABASE_URL)" : "";
  return {
    [Symbol.asyncDispose]: async () => embedded?.stop(),
    url,
    label: `Postgres ${await askVersion(url)} on ${describeDatabase(url)}${source}`,
    createScratchDatabase: () => createScratchDatabase(url),
    createMigratedDatabase: () => createMigratedDatabase(url),
    start: async () => embedded?.start(),
    stop: async () => embedded?.stop(),
  };
}

async function askVersion(url: string): Promise<string> {
  await using client = await openClient(url);
  const result = await client.query<{ server_version: string }>("SHOW server_version");
  return result.rows[0]?.server_version.split(" ")[0] ?? "";
}
