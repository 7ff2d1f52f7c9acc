/** Opens drizzle over the Neon driver, with a deadline for every statement, which the driver does not have. */
import { type ClickHouse, createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { type DatabaseFailure, toDatabaseFailure } from "@hopline/db/database-failure";
import type { RunTransaction } from "@hopline/db/neon-client";
import type { Sql } from "@hopline/db/sql";
import { neon, neonConfig } from "@neondatabase/serverless";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import type { SelectResultFields } from "drizzle-orm/query-builders/select.types";
import { tellWhoActs } from "./acting.ts";
import { spendRequests } from "./invocation-budget.ts";
import { toSql } from "./to-sql.ts";

export type Database = NeonHttpDatabase & {
  readonly analyticsTimeoutMs: number;
  /** For analytics, beside Postgres. `null`: there is none. */
  readonly clickHouse: ClickHouse | null;
};

/** What a statement of drizzle's builder returns for these columns. */
export type RowOf<Columns> = Readonly<SelectResultFields<Columns>>;

/** A person waits for most statements; after this long the database counts as unavailable. Milliseconds. */
const STATEMENT_TIMEOUT_MS = 5_000;
/** Of one question's statements. Below the driver's own deadline, so that the server says why and goes on to other work. */
export const ANALYTICS_TIMEOUT_MS = 4_000;

export function openDatabase(settings: {
  readonly databaseUrl: string;
  readonly sqlEndpoint: string;
  readonly statementTimeoutMs?: number;
  readonly analyticsTimeoutMs?: number;
  /** `https://user:password@host:8443/database`; empty: there is none. */
  readonly clickHouseUrl?: string;
}): Database {
  if (settings.sqlEndpoint !== "") {
    neonConfig.fetchEndpoint = settings.sqlEndpoint;
  }
  const {
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    analyticsTimeoutMs = ANALYTICS_TIMEOUT_MS,
    clickHouseUrl = "",
  } = settings;
  neonConfig.fetchFunction = (input: string, init: RequestInit): Promise<Response> =>
    fetchUnlessDeadlock(input, { ...init, signal: AbortSignal.timeout(statementTimeoutMs) });
  const clickHouse = clickHouseUrl === "" ? null : createClickHouse(clickHouseUrl);
  try {
    const client = tellWhoActs(neon(settings.databaseUrl));
    return Object.assign(drizzle({ client }), { analyticsTimeoutMs, clickHouse });
  } catch {
    // The driver's own message quotes the whole connection string, password included.
    throw new Error(
      "DATABASE_URL is not a Postgres connection string: set it to postgresql://user:password@host/database.",
    );
  }
}

/** Of several that wait for each other Postgres ends one. More than two rounds in five seconds mean that something else is wrong. */
const MAX_DEADLOCKS = 2;

/**
 * Sends a request again that Postgres has ended because of a deadlock: nothing of it was done. Statements lock rows in one order
 * where they can; two that each change many links of one domain, found in different orders, can't.
 */
async function fetchUnlessDeadlock(input: string, init: RequestInit): Promise<Response> {
  for (let deadlocks = 0; ; deadlocks += 1) {
    spendRequests(1);
    const response = await fetch(input, init);
    if (response.status !== 400 || deadlocks === MAX_DEADLOCKS) {
      return response;
    }
    const fault: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    if (toDatabaseFailure(fault).sqlState !== DEADLOCK) {
      return response;
    }
  }
}

const DEADLOCK = "40P01";

/** For the functions of `packages/db` that run transactions. The deadline is that of every statement here. */
export function toRunTransaction(database: Database): RunTransaction {
  return async ([first, ...rest]) => {
    if (first === undefined) {
      return [];
    }
    const execute = (statement: Sql) => database.execute(toSql(statement));
    const results = await database.batch([execute(first), ...rest.map(execute)]);
    return results.map(({ rows }) => rows);
  };
}

/** Why a statement failed. drizzle wraps the driver's error and keeps it as the cause. */
export function failureOf(error: unknown): DatabaseFailure {
  return toDatabaseFailure(error instanceof Error ? (error.cause ?? error) : error);
}
