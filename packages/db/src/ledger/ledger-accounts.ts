/**
 * What the ledger says of a range: the sums of what is settled, the rows that are not in them, and gaps. A segment, and what is
 * missing before it, belong to the quarter of an hour of its first click.
 */
import { type Sql, sql } from "../sql.ts";

/**
 * What has not arrived may still be on its way for this long after its gap is seen: a message that the database did not take is
 * delivered again within 15 minutes (MAX_SECONDS in workers/consumer/src/ingest/retry-later.ts).
 */
export const SETTLES_WITHIN_MS = 900_000;

/** Rows that are not in the sums: as the index has it, word for word (migrations/0003_clicks.sql). */
export const IS_OPEN: Sql = sql`(gap IS NULL OR inserted < click_count OR click_count = 0)`;

/** The others: runs, whose clicks and gap are in the sums. */
export const IS_SUMMED: Sql = sql`(gap IS NOT NULL AND inserted = click_count AND click_count > 0)`;

/** The quarter of an hour of an instant. */
export const quarterOf = (instant: Sql): Sql => sql`date_bin('15 minutes', ${instant}, 'epoch')`;

/**
 * Parts of a WITH after `range`: `account` (at, segments, delivered, inserted, duplicates, rejected, gaps, unsettled, waiting). The sums have the gaps before runs as they were when an isolate was compacted. Most isolates then only go on where they
 * were; of the others (`touched`) gaps are read from all their rows.
 */
export const ACCOUNTS: Sql = sql`
  touched AS MATERIALIZED (
    SELECT isolate_id FROM (
      SELECT isolate_id, min(first_sequence) AS first, max(first_sequence + click_count) AS until, sum(click_count) AS clicks
      FROM segment_ledger WHERE gap IS NULL GROUP BY 1
    ) AS fresh
    WHERE until - first <> clicks
      OR first <> COALESCE((
        SELECT first_sequence + click_count FROM segment_ledger AS kept
        WHERE kept.isolate_id = fresh.isolate_id AND kept.first_sequence < first ORDER BY first_sequence DESC LIMIT 1), 1)
      OR EXISTS (SELECT FROM segment_ledger AS kept WHERE kept.isolate_id = fresh.isolate_id AND kept.first_sequence >= until)
  ), ordered AS (
    SELECT part.* FROM touched CROSS JOIN LATERAL (
      SELECT first_clicked_at, first_settled_at, CASE WHEN ${IS_SUMMED} THEN gap ELSE 0 END AS summed,
        GREATEST(first_sequence - COALESCE(max(first_sequence + click_count)
          OVER (ORDER BY first_sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 1), 0) AS gap
      FROM segment_ledger WHERE isolate_id = touched.isolate_id OFFSET 0
    ) AS part
  ), account AS (
    SELECT bucket_start AS at, segments, delivered, inserted, duplicates, rejected, gaps,
      delivered - inserted - rejected AS unsettled, 0 AS waiting
    FROM ledger_sums, range WHERE bucket_start >= since AND bucket_start < until
    UNION ALL
    SELECT ${quarterOf(sql`first_clicked_at`)}, count(*) FILTER (WHERE click_count > 0), sum(click_count), sum(inserted), sum(duplicates),
      sum(rejected),
      sum(CASE WHEN gap > 0 AND NOT isolate_id = ANY (ARRAY(SELECT isolate_id FROM touched)) THEN gap ELSE 0 END),
      -- A segment that claims more clicks than it has would hide a gap of the same size.
      sum(GREATEST(click_count - inserted - rejected, 0)),
      COALESCE(sum(GREATEST(click_count - inserted - rejected, 0)) FILTER (WHERE last_settled_at > settled_at), 0)
    FROM segment_ledger, range WHERE ${IS_OPEN} AND first_clicked_at >= since AND first_clicked_at < until GROUP BY 1
    UNION ALL
    SELECT first_clicked_at, 0, 0, 0, 0, 0, gap - summed, 0, CASE WHEN first_settled_at > settled_at THEN gap ELSE 0 END
    FROM ordered, range WHERE (gap > 0 OR summed > 0) AND first_clicked_at >= since AND first_clicked_at < until
    UNION ALL
    SELECT first_clicked_at, 0, 0, 0, 0, 0, 0, 0, gap
    FROM segment_ledger, range
    WHERE gap > 0 AND first_settled_at > settled_at AND first_clicked_at >= since AND first_clicked_at < until
      AND NOT EXISTS (SELECT FROM touched WHERE touched.isolate_id = segment_ledger.isolate_id)
  )`;

/** `range`, whose edges are epoch milliseconds: whole quarters of an hour. */
export const rangeOf = (sinceMs: number, untilMs: number): Sql => sql`
  range AS (
    SELECT to_timestamp(${sinceMs}::float8 / 1000.0) AS since, to_timestamp(${untilMs}::float8 / 1000.0) AS until,
      now() - ${SETTLES_WITHIN_MS}::float8 * interval '1 millisecond' AS settled_at
  )`;
