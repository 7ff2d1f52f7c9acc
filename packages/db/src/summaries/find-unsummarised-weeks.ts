/** Finds weeks to make: all seven days are summarised, and the week is missing or was made of other numbers. */
import type { RunSql } from "../neon-client.ts";
import { type SummaryWeek, WEEK_MS } from "./summarise-week.ts";

export type UnsummarisedWeeksOptions = {
  /** Epoch milliseconds. Weeks that ended by then are ignored. */
  readonly sinceMs: number;
  readonly limit: number;
  readonly timeoutMs: number;
};

const UNSUMMARISED_WEEKS = `
  SELECT workspace_id::text AS workspace_id, extract(epoch FROM week_start)::float8 * 1000 AS from_ms
  FROM (
    SELECT workspace_id, date_bin('7 days', period_start, 'epoch') AS week_start, sum(clicks) AS clicks
    FROM summary_periods
    WHERE period_start >= to_timestamp($1::float8 / 1000.0) AND period_end = period_start + interval '24 hours'
    GROUP BY 1, 2 HAVING count(*) = 7
  ) AS week
  WHERE NOT EXISTS (
    SELECT FROM summary_weeks AS made
    WHERE made.workspace_id = week.workspace_id AND made.week_start = week.week_start AND made.clicks = week.clicks
  )
  ORDER BY week.week_start DESC, week.workspace_id LIMIT $2::int`;

/** The newest first. Rejects as `RunSql` does. */
export async function findUnsummarisedWeeks(
  runSql: RunSql,
  { sinceMs, limit, timeoutMs }: UnsummarisedWeeksOptions,
): Promise<readonly SummaryWeek[]> {
  // From the start of its week, so that all seven days count.
  const fromMs = Math.floor(sinceMs / WEEK_MS) * WEEK_MS;
  return (await runSql(UNSUMMARISED_WEEKS, [fromMs, limit], timeoutMs)).map((row) => ({
    workspaceId: String(row["workspace_id"]),
    fromMs: Number(row["from_ms"]),
  }));
}
