/**
 * Brings a database's schema up to date with a folder of migrations.
 *
 * Each file runs in one transaction together with its row in `schema_migrations`, under an advisory lock of that
 * transaction: two runners at once take turns and find each other's work done. A transaction's lock (not a session's)
 * also holds behind a connection pooler such as Neon's.
 */
import pg, { type Client } from "pg";

import { errorCode, Failure } from "../console/failure.ts";
import { type Migration, readMigrations } from "./migration-files.ts";
import { describeCapabilities, readCapabilities, type ServerCapabilities } from "./server-capabilities.ts";
import { openClient } from "./open-client.ts";

export type MigrateOptions = {
  readonly directory: string;
  readonly onProgress: (line: string) => void;
};

export type MigrationReport = {
  /** File names this run applied, in order. */
  readonly applied: readonly string[];
  readonly capabilities: ServerCapabilities;
};

/** The database was made by other migrations than those of the checkout. */
export class OtherMigrations extends Failure {}

/** Any number that no other lock in this database uses ("hop1" in ASCII). */
const LOCK_KEY = 0x686f7031;

const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`;

/** Applies what is missing; a changed, unknown or failing migration is a Failure that names its file. */
export async function migrate(databaseUrl: string, options: MigrateOptions): Promise<MigrationReport> {
  await using client = await openClient(databaseUrl);
  const migrations = readMigrations(options.directory);
  await inLockedTransaction(client, () => client.query(CREATE_TABLE)).catch(explainRights);
  requireAllKnown(await readApplied(client), migrations);
  const applied: string[] = [];
  for (const migration of migrations) {
    const startedAtMs = performance.now();
    if (await applyOnce(client, migration)) {
      options.onProgress(
        `${migration.fileName} applied in ${Math.round(performance.now() - startedAtMs)} ms`,
      );
      applied.push(migration.fileName);
    }
  }
  const capabilities = await readCapabilities(client);
  const total = `${migrations.length} ${migrations.length === 1 ? "migration" : "migrations"}`;
  options.onProgress(
    `Schema up to date: ${total}, ${applied.length} new; ${describeCapabilities(capabilities)}`,
  );
  return { applied, capabilities };
}

/** False when it was applied before, by an earlier run or by another runner just now. */
async function applyOnce(client: Client, migration: Migration): Promise<boolean> {
  return inLockedTransaction(client, async () => {
    const checksum = (await readApplied(client)).get(migration.version);
    if (checksum !== undefined) {
      requireUnchanged(migration, checksum);
      return false;
    }
    const before = await currentTransaction(client);
    await client.query(migration.sql).catch((error: unknown) => {
      throw explainMigration(migration, error);
    });
    // After a COMMIT in the file the rest of it, and our own row, would no longer stand or fall together.
    if ((await currentTransaction(client)) !== before) {
      throw new Failure(`${migration.fileName} ends its own transaction: take out its BEGIN and COMMIT.`);
    }
    await client.query("INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)", [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    return true;
  });
}

async function inLockedTransaction<T>(client: Client, run: () => Promise<T>): Promise<T> {
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK_KEY]);
    const value = await run();
    await client.query("COMMIT");
    return value;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Version to checksum. */
async function readApplied(client: Client): Promise<ReadonlyMap<number, string>> {
  const result = await client.query<{ version: number; checksum: string }>(
    "SELECT version, checksum FROM schema_migrations",
  );
  return new Map(result.rows.map((row) => [row.version, row.checksum]));
}

async function currentTransaction(client: Client): Promise<string> {
  const result = await client.query<{ id: string }>("SELECT pg_current_xact_id()::text AS id");
  return result.rows[0]?.id ?? "";
}

function requireAllKnown(applied: ReadonlyMap<number, string>, migrations: readonly Migration[]): void {
  const newest = Math.max(0, ...applied.keys());
  if (newest > migrations.length) {
    throw new OtherMigrations(
      `The database is ahead: it has migration ${newest}, this checkout ends at ${migrations.length}. Update the checkout.`,
    );
  }
  for (const migration of migrations) {
    requireUnchanged(migration, applied.get(migration.version) ?? migration.checksum);
  }
}

function requireUnchanged(migration: Migration, appliedChecksum: string): void {
  if (appliedChecksum !== migration.checksum) {
    throw new OtherMigrations(
      `${migration.fileName} was changed after it had been applied: restore it, and put the change into a new migration.`,
    );
  }
}

function explainMigration(migration: Migration, error: unknown): Failure {
  const database = error instanceof pg.DatabaseError ? error : null;
  const position = Number(database?.position ?? 0);
  const line = position > 0 ? ` line ${migration.sql.slice(0, position - 1).split("\n").length}` : "";
  const reason = error instanceof Error ? error.message : String(error);
  const hint = database?.hint === undefined ? "" : ` (${database.hint})`;
  const code = database?.code === undefined ? "" : ` [${database.code}]`;
  return new Failure(`${migration.fileName}${line}: ${reason}${hint}${code}; nothing of it was kept.`, {
    cause: error,
  });
}

function explainRights(cause: unknown): never {
  if (errorCode(cause) === "42501") {
    throw new Failure(
      "The login in DATABASE_URL may not create tables in this database: grant it CREATE on the schema public.",
      { cause },
    );
  }
  throw cause;
}
