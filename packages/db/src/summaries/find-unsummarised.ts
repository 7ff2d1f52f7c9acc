/** Finds periods to make: they are over, have enough clicks, and their summaries are missing or out of date. */
import type { RunSql, SqlRow } from "../neon-client.ts";
import type { SummaryPeriod } from "./summarise-period.ts";

export type UnsummarisedOptions = {
  /** Epoch milliseconds. Periods that begin before it are ignored. */
  readonly sinceMs: number;
  readonly nowMs: number;
  /** A period with fewer clicks is counted from its events fast enough. */
  readonly minClicks: number;
  readonly limit: number;
  readonly timeoutMs: number;
};

/** Queues deliver most clicks within seconds. After a later one its period is made again. */
const HOUR_GRACE = "interval '2 minutes'";
const DAY_GRACE = "interval '20 minutes'";

// A day that is over replaces its hours. Days whose events are being removed stay as they are.
const UNSUMMARISED = `
  WITH moment AS (
    SELECT to_timestamp($1::float8 / 1000.0) AS since, to_timestamp($2::float8 / 1000.0) AS now
  ), hour AS (
    SELECT workspace_id, date_bin('1 hour', bucket_start, 'epoch') AS hour_start,
      date_bin('1 day', bucket_start, 'epoch') AS day_start, sum(clicks) AS clicks
    FROM workspace_rollups, moment WHERE bucket_start >= since AND bucket_start < now
    GROUP BY 1, 2, 3
  ), period AS (
    SELECT workspace_id, day_start AS period_start, day_start + interval '1 day' AS period_end, sum(clicks) AS clicks
    FROM hour, moment WHERE day_start + interval '1 day' + ${DAY_GRACE} <= now GROUP BY 1, 2
    UNION ALL
    SELECT workspace_id, hour_start, hour_start + interval '1 hour', clicks
    FROM hour, moment
    WHERE hour_start + interval '1 hour' + ${HOUR_GRACE} <= now AND day_start + interval '1 day' + ${DAY_GRACE} > now
  )
  SELECT workspace_id::text AS workspace_id, extract(epoch FROM period_start)::float8 * 1000 AS from_ms,
    extract(epoch FROM period_end)::float8 * 1000 AS to_ms
  FROM period
  WHERE clicks >= $3::float8
    AND NOT EXISTS (
      SELECT FROM summary_periods AS made
      WHERE made.workspace_id = period.workspace_id AND made.period_start = period.period_start
        AND made.period_end = period.period_end AND made.clicks = period.clicks
        -- Days from before migrations/0018 have no tags yet, and those from before 0016 no visitors.
        AND (made.with_tags OR made.period_end < made.period_start + interval '1 day')
    )
    AND NOT EXISTS (SELECT FROM event_retention WHERE kept_from > period.period_start)
  ORDER BY period_start DESC, workspace_id LIMIT $4::int`;

/** The newest first. Rejects as `RunSql` does. */
export async function findUnsummarised(
  runSql: RunSql,
  { sinceMs, nowMs, minClicks, limit, timeoutMs }: UnsummarisedOptions,
): Promise<readonly SummaryPeriod[]> {
  // From midnight, so that no day is mistaken for its later hours.
  const fromMs = Math.floor(sinceMs / 86_400_000) * 86_400_000;
  return (await runSql(UNSUMMARISED, [fromMs, nowMs, minClicks, limit], timeoutMs)).map(toPeriod);
}

function toPeriod(row: SqlRow): SummaryPeriod {
  return {
    workspaceId: String(row["workspace_id"]),
    fromMs: Number(row["from_ms"]),
    toMs: Number(row["to_ms"]),
  };
}
