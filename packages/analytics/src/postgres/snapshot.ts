/**
 * Runs statements as one read-only transaction with one snapshot, so that the numbers of an answer agree while new clicks arrive.
 *
 * The deadline is for all of them. It is set again before each statement, because statement_timeout is for one.
 */
import { QUERY_CANCELED, toDatabaseFailure } from "@hopline/db/database-failure";
import type { RunTransaction, SqlRow } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import type { CountingMode } from "@hopline/db/ingest/count-clicks";
import { TooWideError, WrongEngineError } from "../engine.ts";

export type Statement<Answer> = {
  readonly query: Sql;
  readonly read: (rows: readonly SqlRow[]) => Answer;
  /** It lists rows in order, and may sort them: otherwise Postgres reads all clicks in that order until it has a page of one link. */
  readonly isPage?: boolean;
};

/** Answers parts of a request, in order. */
export type Planned = Statement<readonly object[]>;

export type SnapshotDatabase = {
  readonly runTransaction: RunTransaction;
  readonly timeoutMs: number;
  /** Clicks of one day that may be read one by one, beside what is pre-aggregated of it. */
  readonly mostClicks?: number;
  /** Where clicks have to be counted for these answers. Anywhere, if left out. */
  readonly mode?: CountingMode;
};

type Answers<All extends readonly Statement<unknown>[]> = {
  readonly [Index in keyof All]: All[Index] extends Statement<infer Answer> ? Answer : never;
};

/**
 * The results in the order of the statements. Rejects with `TooWideError` (its cause is the database's error) after the deadline, and
 * with `WrongEngineError` in another mode.
 */
export async function readSnapshot<const All extends readonly Statement<unknown>[]>(
  { runTransaction, timeoutMs, mode }: SnapshotDatabase,
  all: All,
): Promise<Answers<All>> {
  const deadline = sql`set_config('statement_timeout', greatest(1, ${timeoutMs}::int
    - 1000 * extract(epoch FROM clock_timestamp() - transaction_timestamp()))::int::text, true)`;
  const before = [
    sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`,
    // JIT compilation costs more than it saves at these sizes. The planner underestimates the rows of arrays, and sorting them into
    // groups costs several times as much as hashing.
    sql`SELECT set_config('jit', 'off', true), set_config('work_mem', '32MB', true), ${deadline},
      (SELECT mode FROM counting_mode) AS mode`,
  ];
  const statements = all.flatMap(({ query, isPage = false }) => [
    sql`SELECT ${deadline}, set_config('enable_sort', ${isPage ? "on" : "off"}, true)`,
    query,
  ]);
  const results = await runTransaction([...before, ...statements], timeoutMs).catch((error: unknown) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw toDatabaseFailure(cause).sqlState === QUERY_CANCELED
      ? new TooWideError("", { cause: error })
      : error;
  });
  if (mode !== undefined && results[1]?.[0]?.["mode"] !== mode) {
    throw new WrongEngineError();
  }
  return all.map(({ read }, index) =>
    read(results[before.length + 2 * index + 1] ?? []),
  ) as unknown as Answers<All>;
}
