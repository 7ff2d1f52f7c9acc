/**
 * The database client: Neon's serverless driver, which sends each statement in an HTTPS request and keeps no connection.
 * The driver weighs 146 KB, so it is imported with the first statement and not when a Worker starts.
 *
 * Handles two traps of the driver: its constructor puts the connection string into its error message, and its endpoint
 * is global state.
 */
import type { NeonQueryFunction } from "@neondatabase/serverless";
import { type Sql, toStatement } from "./sql.ts";

/** A row by column name, with cells parsed by type; int8 stays a string. */
export type SqlRow = { readonly [column: string]: unknown };

/** Runs one statement. Rejects with the driver's NeonDbError, which `toDatabaseFailure` reads. */
export type RunSql = (statement: Sql, timeoutMs: number) => Promise<readonly SqlRow[]>;

/** Runs statements in order in one transaction. Resolves to the rows of each. Rejects as `RunSql` does, with nothing changed. */
export type RunTransaction = (
  statements: readonly Sql[],
  timeoutMs: number,
) => Promise<readonly (readonly SqlRow[])[]>;

export type NeonSettings = {
  /** `postgresql://user:password@host/database`. */
  readonly databaseUrl: string;
  /** Absolute URL of a `/sql` endpoint, or empty for Neon's own, derived from the host in `databaseUrl`. */
  readonly sqlEndpoint: string;
};

/** Makes a client. Nothing is loaded or checked before the first statement. */
export function createNeonClient(settings: NeonSettings): RunSql {
  let opened: NeonQueryFunction<false, false> | undefined;
  return async (statement, timeoutMs) => {
    opened ??= await openNeon(settings);
    const { text, parameters } = toStatement(statement);
    return opened.query(text, [...parameters], { fetchOptions: { signal: AbortSignal.timeout(timeoutMs) } });
  };
}

/** The same for transactions, with one request each. */
export function createNeonTransactions(settings: NeonSettings): RunTransaction {
  let opened: NeonQueryFunction<false, false> | undefined;
  return async (statements, timeoutMs) => {
    opened ??= await openNeon(settings);
    const neonSql = opened;
    return neonSql.transaction(
      statements.map(toStatement).map(({ text, parameters }) => neonSql.query(text, [...parameters])),
      { fetchOptions: { signal: AbortSignal.timeout(timeoutMs) } },
    );
  };
}

async function openNeon({
  databaseUrl,
  sqlEndpoint,
}: NeonSettings): Promise<NeonQueryFunction<false, false>> {
  const { neon, neonConfig } = await import("@neondatabase/serverless");
  if (sqlEndpoint !== "") {
    neonConfig.fetchEndpoint = sqlEndpoint;
  }
  try {
    return neon(databaseUrl);
  } catch {
    // The original message quotes the whole connection string with its password, which must not reach a log.
    throw new Error(
      "DATABASE_URL is not a Postgres connection string. Expected postgresql://user:password@host/database.",
    );
  }
}
