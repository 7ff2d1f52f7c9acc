/** How far behind pre-aggregation is, from the statement by which the job itself finds its work. */
import { findUnsummarised } from "@hopline/db/summaries/find-unsummarised";
import type { RunSql } from "@hopline/db/neon-client";
import { MIN_PERIOD_CLICKS, RECENT_MS } from "@hopline/db/summaries/summary-bounds";
import { type Row, runStatements } from "../analytics/run-statements.ts";
import { ProblemError } from "../http/problem.ts";
import { ANALYTICS_TIMEOUT_MS, type Database, toSql } from "../database.ts";

export type SummaryLag = {
  /** Hours and days of the last three days that are over and not pre-aggregated, or no longer current. */
  readonly periods: number;
  /** Since the end of the oldest one; 0 if there is none. */
  readonly oldestSeconds: number;
};

/** Only the newest are counted. With more, the age is that of the oldest among these, which is alarming enough. */
const MAX_PERIODS = 10_000;

/**
 * `null` if the statement takes too long. Rejects when the database does.
 *
 * @param nowMs epoch milliseconds.
 */
export async function readSummaryLag(database: Database, nowMs: number): Promise<SummaryLag | null> {
  try {
    const periods = await findUnsummarised(toRunSql(database), {
      sinceMs: nowMs - RECENT_MS,
      nowMs,
      minClicks: MIN_PERIOD_CLICKS,
      limit: MAX_PERIODS,
      timeoutMs: ANALYTICS_TIMEOUT_MS,
    });
    // The newest come first.
    const oldestMs = periods.at(-1)?.toMs ?? nowMs;
    return { periods: periods.length, oldestSeconds: Math.max(0, nowMs - oldestMs) / 1_000 };
  } catch (error) {
    if (error instanceof ProblemError && error.code === "query_too_wide") {
      return null;
    }
    throw error;
  }
}

/** With the deadline of `runStatements`. */
function toRunSql(database: Database): RunSql {
  return async (statement, parameters) => {
    const [rows] = await runStatements(database, [
      { query: toSql({ text: statement, parameters }), read: (all: readonly Row[]) => all },
    ]);
    return rows;
  };
}
