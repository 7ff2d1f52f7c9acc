/**
 * Runs statements in one request to the database, as one read-only transaction with one snapshot, so that the numbers of an
 * answer agree while new clicks arrive.
 *
 * The deadline is for the whole request. It is set again before each statement, because statement_timeout is for one; a client
 * whose request exceeds it has to narrow the question.
 */
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { type SQL, sql } from "drizzle-orm";
import { ProblemError } from "../http/problem.ts";
import type { Database } from "../database.ts";
import { keepUsable, type SummaryNeed } from "./summary-periods.ts";

export type Row = { readonly [column: string]: unknown };

export type Statement<Answer> = {
  readonly query: SQL;
  /** The summaries that it reads. */
  readonly summaries?: readonly SummaryNeed[];
  readonly read: (rows: readonly Row[]) => Answer;
};

const QUERY_CANCELED = "57014";

/** A `null` statement has the result `null`, for optional parts of an answer. */
type Asked = Statement<unknown> | null;

type AnswerOf<One extends Asked> = One extends Statement<infer Answer> ? Answer : null;

type Answers<All extends readonly Asked[]> = { readonly [Index in keyof All]: AnswerOf<All[Index]> };

const deadlineAfter = (timeoutMs: number): SQL =>
  sql`set_config('statement_timeout', greatest(1, ${timeoutMs}::int
    - 1000 * extract(epoch FROM clock_timestamp() - transaction_timestamp()))::int::text, true)`;

/** JIT compilation costs more than it saves at these sizes. */
const settingsWith = (deadline: SQL): readonly SQL[] => [
  sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`,
  sql`SELECT set_config('jit', 'off', true), set_config('work_mem', '32MB', true), ${deadline}`,
];

/**
 * The results in the order of the statements. Throws `ProblemError` query_too_wide after the deadline.
 *
 * @param asked what makes the request slow, so that a refusal can say how to narrow it.
 */
export async function runStatements<const All extends readonly Asked[]>(
  database: Database,
  all: All,
  asked: { readonly visitors: boolean } = { visitors: false },
): Promise<Answers<All>> {
  const statements = all.filter((one) => one !== null);
  const [need, ...needs] = statements.flatMap(({ summaries = [] }) => summaries);
  const deadline = deadlineAfter(database.analyticsTimeoutMs);
  const before = [...settingsWith(deadline), ...(need === undefined ? [] : [keepUsable([need, ...needs])])];
  const [first, ...rest] = [
    ...before,
    ...statements.flatMap(({ query }) => [sql`SELECT ${deadline}`, query]),
  ].map((query) => database.execute(query));
  if (first === undefined) {
    throw new Error("invariant: there are settings");
  }
  const results = await database.batch([first, ...rest]).catch((error: unknown) => {
    throw toProblem(error, asked);
  });
  const rowsOf = new Map(
    statements.map((one, index) => [one, results[before.length + 2 * index + 1]?.rows ?? []]),
  );
  return all.map((one) => one?.read(rowsOf.get(one) ?? []) ?? null) as unknown as Answers<All>;
}

function toProblem(error: unknown, { visitors }: { readonly visitors: boolean }): unknown {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (toDatabaseFailure(cause).sqlState !== QUERY_CANCELED) {
    return error;
  }
  return new ProblemError("query_too_wide", visitors ? HOW_TO_NARROW_VISITORS : HOW_TO_NARROW);
}

const HOW_TO_NARROW = [
  {
    path: "from",
    message: "covers too many clicks: ask for a shorter range, or split it and add up the answers",
  },
  {
    path: "link",
    message:
      "are too many: ask for fewer links, or with fewer filters. Totals by link, domain, tag and class are pre-aggregated, and so is one dimension combined with one link, tag, country, referrer, browser, system or device with many clicks",
  },
];

const HOW_TO_NARROW_VISITORS = [
  {
    path: "visitors",
    message:
      "take too long: ask without visitors, or for pre-aggregated ones: humans or all classes, of the workspace, one link or one country, by day or longer; by dimension, the workspace by country",
  },
  {
    path: "from",
    message:
      "covers too many clicks: ask for a shorter range, or split it at midnight UTC and add up the answers",
  },
];
