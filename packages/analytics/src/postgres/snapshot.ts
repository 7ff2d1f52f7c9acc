/**
 * Runs statements as one read-only transaction with one snapshot, so that the numbers of an answer agree while new clicks arrive.
 *
 * The deadline is for all of them. It is set again before each statement, because statement_timeout is for one.
 */
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { type SQL, sql } from "drizzle-orm";
import { TooWideError } from "../engine.ts";

export type Row = { readonly [column: string]: unknown };

export type Statement<Answer> = {
  readonly query: SQL;
  readonly read: (rows: readonly Row[]) => Answer;
};

export type SnapshotDatabase = {
  /** Runs the statements in one request and one transaction. Resolves to the rows of each. */
  readonly runBatch: (statements: readonly [SQL, ...SQL[]]) => Promise<readonly (readonly Row[])[]>;
  /** Milliseconds. */
  readonly timeoutMs: number;
};

type Answers<All extends readonly Statement<unknown>[]> = {
  readonly [Index in keyof All]: All[Index] extends Statement<infer Answer> ? Answer : never;
};

const QUERY_CANCELED = "57014";

const deadlineAfter = (timeoutMs: number): SQL =>
  sql`set_config('statement_timeout', greatest(1, ${timeoutMs}::int
    - 1000 * extract(epoch FROM clock_timestamp() - transaction_timestamp()))::int::text, true)`;

/**
 * The results in the order of the statements. Rejects with `TooWideError` after the deadline.
 *
 * @param first statements that the others need, without results.
 */
export async function readSnapshot<const All extends readonly Statement<unknown>[]>(
  { runBatch, timeoutMs }: SnapshotDatabase,
  all: All,
  first: readonly SQL[] = [],
): Promise<Answers<All>> {
  const deadline = deadlineAfter(timeoutMs);
  const results = await runBatch([
    sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`,
    // JIT compilation costs more than it saves at these sizes.
    sql`SELECT set_config('jit', 'off', true), set_config('work_mem', '32MB', true), ${deadline}`,
    ...first,
    ...all.flatMap(({ query }) => [sql`SELECT ${deadline}`, query]),
  ]).catch((error: unknown) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw toDatabaseFailure(cause).sqlState === QUERY_CANCELED ? new TooWideError() : error;
  });
  return all.map(({ read }, index) =>
    read(results[2 + first.length + 2 * index + 1] ?? []),
  ) as unknown as Answers<All>;
}
