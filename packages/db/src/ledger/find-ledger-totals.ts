/**
 * The numbers of `pnpm reconcile`, from one statement and so from one moment; those of the cube come from others.
 *
 * Edges: the range is [since, until), widened by the caller to whole 15-minute buckets. A segment belongs to the range of
 * its first click, with all of its clicks. Clicks that are missing before a segment belong to the same range as it, so
 * that neighbouring ranges add up to the whole. What an isolate lost after its last segment or report cannot be seen
 * from here.
 */
import { eventIdOf } from "@hopline/core/click/event-id";
import type { RunSql, SqlRow } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";

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
  "deadLettered",
  /** Clicks missing between two segments of an isolate, or before its first. */
  "gaps",
  /** Rows of click_events by their own time, and how many there should be according to the ledger. */
  "events",
  "expectedEvents",
  /** How far rollups are from the events, summed over every row. */
  "rollupDifference",
  /** Letters that wait for a person, and those among them whose number of clicks is not known. */
  "openLetters",
  "openUndecodable",
] as const;

export type LedgerTotals = Readonly<Record<(typeof NAMES)[number], number>>;

/** Isolates send their clicks within seconds: no segment's clicks span more than this. */
const MAX_SEGMENT_SPAN = sql`interval '1 day'`;

const toInstant = (atMs: number) => sql`to_timestamp(${atMs}::float8 / 1000.0)`;

const findStraddling = ({ sinceMs, untilMs }: ClickRange) => sql`
  SELECT isolate_id, first_sequence::float8 AS first_sequence, click_count
  FROM segment_ledger, unnest(ARRAY[${toInstant(sinceMs)}, ${toInstant(untilMs)}]) AS edge
  WHERE first_clicked_at < edge AND first_clicked_at > edge - ${MAX_SEGMENT_SPAN} AND last_clicked_at >= edge`;

type EventIds = readonly [first: string, last: string];

const sumUp = ({ sinceMs, untilMs }: ClickRange, straddling: readonly EventIds[]): Sql => sql`
  WITH range AS (
    SELECT ${toInstant(sinceMs)} AS since, ${toInstant(untilMs)} AS until
  ), segment AS (
    SELECT segment_ledger.* FROM segment_ledger, range WHERE first_clicked_at >= since AND first_clicked_at < until
  ), ordered AS (
    SELECT first_sequence, first_clicked_at,
      max(first_sequence + click_count) OVER (
        PARTITION BY isolate_id ORDER BY first_sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS expected_sequence
    FROM segment_ledger WHERE isolate_id IN (SELECT isolate_id FROM segment)
  ), gap AS (
    SELECT sum(GREATEST(first_sequence - COALESCE(expected_sequence, 1), 0)) AS clicks
    FROM ordered, range WHERE first_clicked_at >= since AND first_clicked_at < until
  ), event AS (
    SELECT link_id, date_bin('15 minutes', clicked_at, 'epoch') AS bucket_start, class, count(*) AS clicks
    FROM click_events, range WHERE clicked_at >= since AND clicked_at < until GROUP BY 1, 2, 3
  ), rollup AS (
    SELECT link_id, bucket_start, class, clicks
    FROM click_rollups, range WHERE bucket_start >= since AND bucket_start < until
  ), drift AS (
    SELECT sum(abs(COALESCE(event.clicks, 0) - COALESCE(rollup.clicks, 0))) AS clicks
    FROM event FULL JOIN rollup USING (link_id, bucket_start, class)
  ), workspace_event AS (
    SELECT workspace_id, date_bin('15 minutes', clicked_at, 'epoch') AS bucket_start, domain_id, class,
      count(*) AS clicks
    FROM click_events, range WHERE workspace_id IS NOT NULL AND clicked_at >= since AND clicked_at < until
    GROUP BY 1, 2, 3, 4
  ), workspace_rollup AS (
    SELECT workspace_id, bucket_start, domain_id, class, clicks
    FROM workspace_rollups, range WHERE bucket_start >= since AND bucket_start < until
  ), workspace_drift AS (
    SELECT sum(abs(COALESCE(event.clicks, 0) - COALESCE(rollup.clicks, 0))) AS clicks
    FROM workspace_event AS event
    FULL JOIN workspace_rollup AS rollup USING (workspace_id, bucket_start, domain_id, class)
  ), within AS (
    SELECT sum(inserted) AS clicks
    FROM segment, range WHERE last_clicked_at < until
  ), at_edge AS (
    SELECT count(*) AS clicks
    FROM unnest(${straddling.map(([first]) => first)}::uuid[], ${straddling.map(([, last]) => last)}::uuid[])
      AS straddling (first_id, last_id), range, click_events
    WHERE clicked_at >= since AND clicked_at < until AND event_id BETWEEN first_id AND last_id
  )
  SELECT
    (SELECT count(DISTINCT isolate_id) FROM segment)::float8 AS "isolates",
    (SELECT count(*) FROM segment WHERE click_count > 0)::float8 AS "segments",
    (SELECT sum(click_count) FROM segment)::float8 AS "delivered",
    (SELECT sum(inserted) FROM segment)::float8 AS "inserted",
    (SELECT sum(duplicates) FROM segment)::float8 AS "duplicates",
    (SELECT sum(rejected) FROM segment)::float8 AS "rejected",
    (SELECT sum(dead_lettered) FROM segment)::float8 AS "deadLettered",
    (SELECT clicks FROM gap)::float8 AS "gaps",
    (SELECT sum(clicks) FROM event)::float8 AS "events",
    (COALESCE((SELECT clicks FROM within), 0) + (SELECT clicks FROM at_edge))::float8 AS "expectedEvents",
    (COALESCE((SELECT clicks FROM drift), 0) + COALESCE((SELECT clicks FROM workspace_drift), 0))::float8
      AS "rollupDifference",
    (SELECT count(*) FROM dead_letters WHERE replayed_at IS NULL)::float8 AS "openLetters",
    (SELECT count(*) FROM dead_letters WHERE replayed_at IS NULL AND kind = 'message_undecodable')::float8
      AS "openUndecodable"`;

/** The day of the oldest event, or else of the ledger: before it there is nothing to reconcile. */
const OLDEST = sql`
  SELECT extract(epoch FROM date_trunc('day', COALESCE(
    (SELECT min(clicked_at) FROM click_events), (SELECT min(first_clicked_at) FROM segment_ledger)
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
  const straddling = (await runSql(findStraddling(range), timeoutMs)).map(toEventIds);
  const [row = {}] = await runSql(sumUp(range, straddling), timeoutMs);
  return Object.fromEntries(NAMES.map((name) => [name, Number(row[name] ?? 0)])) as LedgerTotals;
}

/** Ids of one isolate sort by number: those of the first and the last click enclose the segment. */
function toEventIds(row: SqlRow): EventIds {
  const isolateId = String(row["isolate_id"]);
  const first = Number(row["first_sequence"]);
  return [eventIdOf(isolateId, first), eventIdOf(isolateId, first + Number(row["click_count"]) - 1)];
}
