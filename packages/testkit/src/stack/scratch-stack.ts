/**
 * A migrated scratch database behind a /sql endpoint, for one test file: what the Workers' own statements need, and no
 * Worker. Everything started is ended by `close`, in reverse.
 */
import pg, { type Pool } from "pg";

import { openDatabaseServer } from "../postgres/database-server.ts";
import { toClientConfig } from "../postgres/database-url.ts";
import { type PostgresServer, startPostgres } from "../postgres/postgres-server.ts";
import { migrateForWorkers } from "../postgres/scratch-database.ts";
import { type SqlEndpoint, startSqlEndpoint } from "../sql-endpoint/sql-endpoint.ts";

export type ScratchStack = {
  /** Holds the password: not for logs. */
  readonly databaseUrl: string;
  /** Beside the endpoint, for what a test arranges and looks at. */
  readonly database: Pool;
  readonly sqlEndpoint: SqlEndpoint;
  /** Only of a stack with its own server, which a test may stop. */
  readonly postgres: PostgresServer | null;
  close(): Promise<void>;
};

export type ScratchStackOptions = {
  /** Start a server for this stack alone, also with DATABASE_URL set; for tests that stop it. */
  readonly hasOwnServer?: boolean;
  readonly maxConnections?: number;
};

export async function openScratchStack(options: ScratchStackOptions = {}): Promise<ScratchStack> {
  const endings: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of endings.toReversed()) {
      await end();
    }
  };
  try {
    return { ...(await start(options, endings)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  options: ScratchStackOptions,
  endings: (() => Promise<unknown>)[],
): Promise<Omit<ScratchStack, "close">> {
  const { databaseUrl, postgres } = await openDatabase(options, endings);
  const { maxConnections = 20 } = options;
  const sqlEndpoint = await startSqlEndpoint({ databaseUrl, maxConnections });
  endings.push(() => sqlEndpoint.stop());
  const database = new pg.Pool({ ...toClientConfig(databaseUrl), max: 2 });
  // A server that stops reports an error on every idle connection; the next query fails on its own.
  database.on("error", () => undefined);
  endings.push(() => database.end());
  return { databaseUrl, database, sqlEndpoint, postgres };
}

async function openDatabase(options: ScratchStackOptions, endings: (() => Promise<unknown>)[]) {
  if (options.hasOwnServer === true) {
    const postgres = await startPostgres();
    endings.push(() => postgres.stop());
    await migrateForWorkers(postgres.url);
    return { databaseUrl: postgres.url, postgres };
  }
  const server = await openDatabaseServer();
  endings.push(() => server.stop());
  const scratch = await server.createMigratedDatabase();
  endings.push(() => scratch.drop());
  return { databaseUrl: scratch.url, postgres: null };
}
