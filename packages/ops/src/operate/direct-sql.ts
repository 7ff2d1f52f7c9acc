/** The database that a command works on: the one that DATABASE_URL names, over a plain connection. */
import type { RunSql, SqlRow } from "@hopline/db/neon-client";
import { type Sql, sql, toStatement } from "@hopline/db/sql";
import { errorCode, Failure } from "@hopline/testkit/console/failure";
import { openClient } from "@hopline/testkit/postgres/open-client";
import type pg from "pg";

/** DATABASE_URL, or a Failure that shows its form. */
export function readDatabaseUrl(): string {
  const databaseUrl = process.env["DATABASE_URL"] ?? "";
  if (databaseUrl === "") {
    throw new Failure("DATABASE_URL is not set: set it to postgresql://user:password@host/name.");
  }
  return databaseUrl;
}

/** Runs `work` on one connection. A server that cannot be reached or has no tables is a Failure. */
export async function withClient<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  await using client = await openClient(databaseUrl);
  try {
    return await work(client);
  } catch (error) {
    if (errorCode(error) === "42P01") {
      throw new Failure("The database lacks a table of Hopline: run `pnpm migrate` first.", { cause: error });
    }
    throw error;
  }
}

export async function runOn(client: pg.ClientBase, statement: Sql): Promise<readonly SqlRow[]> {
  const { text, parameters } = toStatement(statement);
  return (await client.query<Record<string, unknown>>(text, [...parameters])).rows;
}

/** One statement on a connection of its own. */
export function runAt(databaseUrl: string, statement: Sql): Promise<readonly SqlRow[]> {
  return withClient(databaseUrl, (client) => runOn(client, statement));
}

/** Runs the statements of @hopline/db on the database in DATABASE_URL. */
export function withDirectSql<T>(work: (runSql: RunSql) => Promise<T>): Promise<T> {
  return withSqlOf(readDatabaseUrl(), work);
}

/** They give the same rows as over the Neon driver. */
export function withSqlOf<T>(databaseUrl: string, work: (runSql: RunSql) => Promise<T>): Promise<T> {
  return withClient(databaseUrl, (client) =>
    work(async (statement, timeoutMs) => {
      await runOn(
        client,
        sql`SELECT set_config('statement_timeout', ${String(Math.ceil(timeoutMs))}, false)`,
      );
      return runOn(client, statement);
    }),
  );
}
