/**
 * The numbers of `pnpm reconcile`, from one statement and so from one moment; those of the summaries from another.
 *
 * Edges. The range is [since, until), widened by the caller to whole 15-minute buckets. A segment belongs to it by its
 * first click, with all of its clicks; what is missing before a segment belongs to where that segment does, so that
 * neighbouring ranges add up to the whole. What an isolate lost after its last segment nobody can know from here.
 */
import { eventIdOf } from "@hopline/core/click/event-id";
import { findSummaryDrift } from "../summaries/find-summary-drift.ts";
import { findTagDrift } from "../summaries/find-tag-drift.ts";
import { findVisitorDrift } from "../summaries/find-visitor-drift.ts";
import { findWeekDrift } from "../summaries/find-week-drift.ts";
import type { RunSql, SqlRow } from "../neon-client.ts";

/** Epoch milliseconds, whole buckets. */
export type ClickRange = { readonly sinceMs: number; readonly untilMs: number };

export type LedgerTotals = {
  readonly isolates: number;
  readonly segments: number;
  /** Clicks of the segments in the range. */
  readonly delivered: number;
  readonly inserted: number;
  readonly duplicates: number;
  readonly rejected: number;
  readonly deadLettered: number;
  /** Clicks that stand between two segments of an isolate, or before its first. */
  readonly gaps: number;
  /** Rows of click_events by their own time, and what the ledger says there should be. */
  readonly events: number;
  readonly expectedEvents: number;
  /** Sum over every row of the rollups and of the summaries in use of how far it is from its events. */
  readonly rollupDifference: number;
  /** Letters that wait for a person, and how many of them hold nobody knows how many clicks. */
  readonly openLetters: number;
  readonly openUndecodable: number;
};

/** A buffer lingers 100 ms; a segment whose clicks span more than this does not exist. */
const MAX_SEGMENT_SPAN = "interval '1 day'";

const STRADDLING = `
  SELECT isolate_id, first_sequence::float8 AS first_sequence, click_count
  FROM segment_ledger, unnest(ARRAY[to_timestamp($1::float8 / 1000.0), to_timestamp($2::float8 / 1000.0)]) AS edge
  WHERE first_clicked_at < edge AND first_clicked_at > edge - ${MAX_SEGMENT_SPAN} AND last_clicked_at >= edge`;

const TOTALS = `
  WITH range AS (
    SELECT to_timestamp($1::float8 / 1000.0) AS since, to_timestamp($2::float8 / 1000.0) AS until
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
    FROM unnest($3::uuid[], $4::uuid[]) AS straddling (first_id, last_id), range, click_events
    WHERE clicked_at >= since AND clicked_at < until AND event_id BETWEEN first_id AND last_id
  )
  SELECT
    (SELECT count(DISTINCT isolate_id) FROM segment)::float8 AS "isolates",
    (SELECT count(*) FROM segment)::float8 AS "segments",
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

/** Before this there is nothing to reconcile: the day of the oldest event that is kept, or else of the ledger. */
const OLDEST = `
  SELECT extract(epoch FROM date_trunc('day', COALESCE(
    (SELECT min(clicked_at) FROM click_events), (SELECT min(first_clicked_at) FROM segment_ledger)
  ), 'UTC'))::float8 * 1000 AS oldest`;

/** Epoch milliseconds, or `null` in a database without clicks. Rejects as `RunSql` does. */
export async function findOldestDay(runSql: RunSql, timeoutMs: number): Promise<number | null> {
  const [row] = await runSql(OLDEST, [], timeoutMs);
  const oldest = row?.["oldest"];
  return typeof oldest === "number" ? oldest : null;
}

/** Rejects as `RunSql` does. */
export async function findLedgerTotals(
  runSql: RunSql,
  range: ClickRange,
  timeoutMs: number,
): Promise<LedgerTotals> {
  const edges = [range.sinceMs, range.untilMs];
  const straddling = (await runSql(STRADDLING, edges, timeoutMs)).map(toEventIds);
  const ids = [straddling.map(([first]) => first), straddling.map(([, last]) => last)];
  const [row = {}] = await runSql(TOTALS, [...edges, ...ids], timeoutMs);
  let summaryDrift = 0;
  for (const findDrift of [findSummaryDrift, findWeekDrift, findVisitorDrift, findTagDrift]) {
    summaryDrift += await findDrift(runSql, range, timeoutMs);
  }
  const read = (name: keyof LedgerTotals): number => Number(row[name] ?? 0);
  return {
    isolates: read("isolates"),
    segments: read("segments"),
    delivered: read("delivered"),
    inserted: read("inserted"),
    duplicates: read("duplicates"),
    rejected: read("rejected"),
    deadLettered: read("deadLettered"),
    gaps: read("gaps"),
    events: read("events"),
    expectedEvents: read("expectedEvents"),
    rollupDifference: read("rollupDifference") + summaryDrift,
    openLetters: read("openLetters"),
    openUndecodable: read("openUndecodable"),
  };
}

/** Ids of one isolate sort by number, so that two of them enclose a segment. */
function toEventIds(row: SqlRow): readonly [string, string] {
  const isolateId = String(row["isolate_id"]);
  const first = Number(row["first_sequence"]);
  return [eventIdOf(isolateId, first), eventIdOf(isolateId, first + Number(row["click_count"]) - 1)];
}
