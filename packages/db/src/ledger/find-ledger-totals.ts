/**
 * The numbers of `pnpm reconcile`, from one statement and so from one moment; those of the cube come from others.
 *
 * Where clicks are counted in ClickHouse, the events are those that the rollups of links have, and those are compared with the rollups of
 * workspaces alone; ClickHouse's own are compared elsewhere.
 *
 * Edges: the range is [since, until), widened by the caller to whole 15-minute buckets. A segment belongs to the range of
 * its first click, with all of its clicks. Clicks that are missing before a segment belong to the same range as it, so
 * that neighbouring ranges add up to the whole. What an isolate lost after its last segment or report cannot be seen
 * from here.
 *
 * Of days whose clicks retention has removed, the rollups' clicks are counted in place of the events.
 */
import type { RunSql } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";
import { ACCOUNTS, IS_OPEN, rangeOf } from "./ledger-accounts.ts";

/** Epoch milliseconds, whole buckets. */
export type ClickRange = { readonly sinceMs: number; readonly untilMs: number };

/** Columns of `sumUp`. */
const NAMES = [
  "isolates",
  "segments",
  /** Clicks of the segments in the range. */
  "delivered",
  "inserted",
  "duplicates",
  "rejected",
  /** Clicks missing between two segments of an isolate, or before its first. */
  "gaps",
  /** Clicks by their own time: as many as the ledger has inserted. */
  "events",
  /** How far rollups are from the events, summed over every row. */
  "rollupDifference",
  /** How far the totals of links are from their rollups, of all time. */
  "totalDifference",
  /** Letters that wait for a person, and those among them whose number of clicks is not known. */
  "openLetters",
  "openUndecodable",
] as const;

export type LedgerTotals = Readonly<Record<(typeof NAMES)[number], number>>;

const IS_HERE = sql`(SELECT mode = 'postgres' FROM counting_mode)`;

const sumUp = ({ sinceMs, untilMs }: ClickRange): Sql => sql`
  WITH ${rangeOf(sinceMs, untilMs)}, ${ACCOUNTS}, ledger AS (
    SELECT sum(segments) AS segments, sum(delivered) AS delivered, sum(inserted) AS inserted, sum(duplicates) AS duplicates,
      sum(rejected) AS rejected, sum(gaps) AS gaps
    FROM account
  ), seen AS (
    SELECT isolate_id FROM segment_ledger, range
    WHERE ${IS_OPEN} AND first_clicked_at >= since AND first_clicked_at < until
    UNION
    SELECT isolate_id FROM segment_ledger, range
    WHERE gap IS NOT NULL AND last_clicked_at >= since AND first_clicked_at < until
  ), kept AS (
    SELECT GREATEST(since, (SELECT kept_from FROM event_retention)) AS since, until FROM range
  ), event AS (
    SELECT link_id, date_bin('15 minutes', clicked_at, 'epoch') AS bucket_start, class, count(*) AS clicks
    FROM click_events, kept WHERE clicked_at >= since AND clicked_at < until AND ${IS_HERE} GROUP BY 1, 2, 3
    UNION ALL
    SELECT link_id, bucket_start, class, clicks
    FROM click_rollups, kept WHERE bucket_start >= since AND bucket_start < until AND NOT ${IS_HERE}
  ), rollup AS (
    SELECT link_id, bucket_start, class, clicks
    FROM click_rollups, kept WHERE bucket_start >= since AND bucket_start < until
  ), removed AS (
    SELECT sum(clicks) AS clicks FROM click_rollups, range, kept
    WHERE bucket_start >= range.since AND bucket_start < LEAST(kept.since, kept.until)
  ), drift AS (
    SELECT sum(abs(COALESCE(event.clicks, 0) - COALESCE(rollup.clicks, 0))) AS clicks
    FROM event FULL JOIN rollup USING (link_id, bucket_start, class)
  ), workspace_event AS (
    SELECT workspace_id, date_bin('15 minutes', clicked_at, 'epoch') AS bucket_start, domain_id, class,
      count(*) AS clicks
    FROM click_events, kept WHERE workspace_id IS NOT NULL AND clicked_at >= since AND clicked_at < until AND ${IS_HERE}
    GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT workspace_id, bucket_start, domain_id, class, sum(clicks)
    FROM click_rollups, kept WHERE workspace_id IS NOT NULL AND bucket_start >= since AND bucket_start < until AND NOT ${IS_HERE}
    GROUP BY 1, 2, 3, 4
  ), workspace_rollup AS (
    SELECT workspace_id, bucket_start, domain_id, class, clicks
    FROM workspace_rollups, kept WHERE bucket_start >= since AND bucket_start < until
  ), workspace_drift AS (
    SELECT sum(abs(COALESCE(event.clicks, 0) - COALESCE(rollup.clicks, 0))) AS clicks
    FROM workspace_event AS event
    FULL JOIN workspace_rollup AS rollup USING (workspace_id, bucket_start, domain_id, class)
  ), counted AS (
    SELECT link_id, sum(clicks) AS total, COALESCE(sum(clicks) FILTER (WHERE class = 'human'), 0) AS human
    FROM click_rollups GROUP BY 1
  ), total_drift AS (
    -- A link whose clicks are being removed has rollups, and no totals any more.
    SELECT sum(abs(kept.total - COALESCE(counted.total, 0)) + abs(kept.human - COALESCE(counted.human, 0))) AS clicks
    FROM link_totals AS kept LEFT JOIN counted USING (link_id)
  )
  SELECT
    (SELECT count(*) FROM seen)::float8 AS "isolates",
    segments::float8 AS "segments", delivered::float8 AS "delivered", inserted::float8 AS "inserted",
    duplicates::float8 AS "duplicates", rejected::float8 AS "rejected", gaps::float8 AS "gaps",
    (COALESCE((SELECT sum(clicks) FROM event), 0) + COALESCE((SELECT clicks FROM removed), 0))::float8 AS "events",
    (COALESCE((SELECT clicks FROM drift), 0) + COALESCE((SELECT clicks FROM workspace_drift), 0))::float8
      AS "rollupDifference",
    COALESCE((SELECT clicks FROM total_drift), 0)::float8 AS "totalDifference",
    (SELECT count(*) FROM dead_letters WHERE replayed_at IS NULL)::float8 AS "openLetters",
    (SELECT count(*) FROM dead_letters WHERE replayed_at IS NULL AND kind = 'message_undecodable')::float8
      AS "openUndecodable"
  FROM ledger`;

/** The first day of the ledger: before it there is nothing to reconcile. */
const OLDEST = sql`
  SELECT extract(epoch FROM date_trunc('day', LEAST(
    (SELECT min(clicked_at) FROM click_events), (SELECT min(bucket_start) FROM ledger_sums),
    (SELECT min(first_clicked_at) FROM segment_ledger WHERE ${IS_OPEN})
  ), 'UTC'))::float8 * 1000 AS oldest`;

/** Epoch milliseconds; `null` in a database without clicks. Rejects as `RunSql` does. */
export async function findOldestDay(runSql: RunSql, timeoutMs: number): Promise<number | null> {
  const [row] = await runSql(OLDEST, timeoutMs);
  const oldest = row?.["oldest"];
  return typeof oldest === "number" ? oldest : null;
}

/** Rejects as `RunSql` does. */
export async function findLedgerTotals(
  runSql: RunSql,
  range: ClickRange,
  timeoutMs: number,
): Promise<LedgerTotals> {
  const [row = {}] = await runSql(sumUp(range), timeoutMs);
  return Object.fromEntries(NAMES.map((name) => [name, Number(row[name] ?? 0)])) as LedgerTotals;
}
