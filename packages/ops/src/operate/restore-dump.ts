/** Puts a dump into an empty database with pg_restore, which must be as new as the pg_dump that wrote it. */
import { Failure } from "@hopline/testkit/console/failure";
import { describeDatabase, toClientConfig } from "@hopline/testkit/postgres/database-url";
import { sql } from "@hopline/db/sql";
import { execa } from "execa";
import pg from "pg";

import { runAt, runOn, withClient } from "./direct-sql.ts";

const PLAIN = ["--no-owner", "--no-privileges"];

/** Rejects with a `Failure` where the database is not empty, before anything is written. */
export async function restoreDump(file: string, databaseUrl: string): Promise<void> {
  const { stdout: contents } = await runPostgresTool("pg_restore", ["--list", file], databaseUrl);
  const isTimescale = /\bEXTENSION - timescaledb\b/.test(contents);
  await withClient(databaseUrl, async (client) => {
    const tables = await runOn(client, sql`SELECT 1 FROM pg_tables WHERE schemaname = 'public' LIMIT 1`);
    if (tables.length > 0) {
      throw new Failure(
        `The database at ${describeDatabase(databaseUrl)} is not empty: nothing was restored.`,
      );
    }
    if (isTimescale) {
      // https://www.tigerdata.com/docs/deploy/self-hosted/backup-and-restore/logical-backup
      await runOn(client, sql`CREATE EXTENSION IF NOT EXISTS timescaledb`);
      await runOn(client, sql`SELECT timescaledb_pre_restore()`);
    }
  });
  const { database = "" } = new pg.Client(toClientConfig(databaseUrl));
  await runPostgresTool("pg_restore", ["--exit-on-error", ...PLAIN, "--dbname", database, file], databaseUrl);
  if (isTimescale) {
    await runAt(databaseUrl, sql`SELECT timescaledb_post_restore()`);
  }
}

/** Writes the dump that `restoreDump` reads. */
export async function dumpDatabase(databaseUrl: string, file: string): Promise<void> {
  const { database = "" } = new pg.Client(toClientConfig(databaseUrl));
  await runPostgresTool("pg_dump", ["--format=custom", ...PLAIN, "--file", file, database], databaseUrl);
}

/** The password goes by the environment: arguments are in the list of processes. */
async function runPostgresTool(name: string, toolArguments: readonly string[], databaseUrl: string) {
  const client = new pg.Client(toClientConfig(databaseUrl));
  const sslMode = new URL(databaseUrl).searchParams.get("sslmode");
  const env = {
    PGHOST: client.host,
    PGPORT: String(client.port),
    PGUSER: client.user ?? "",
    PGPASSWORD: client.password ?? "",
    ...(sslMode === null ? {} : { PGSSLMODE: sslMode }),
  };
  const ended = await execa(name, toolArguments, { env, reject: false });
  if (ended.code === "ENOENT") {
    throw new Failure(
      `${name} is not installed: install PostgreSQL's client programs, as new as the server.`,
    );
  }
  if (ended.exitCode !== 0) {
    throw new Failure(`${name} failed: ${ended.stderr.trim()}`);
  }
  return ended;
}
