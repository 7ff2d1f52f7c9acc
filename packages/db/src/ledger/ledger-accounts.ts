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

/** Rows that are not in the sums: as the index has it, word for word (migrations/0063_ledger_sums.sql). */
export const IS_OPEN: Sql = sql`(gap IS NULL OR inserted < click_count OR click_count = 0)`;

/** The quarter of an hour of an instant. */
export const quarterOf = (instant: Sql): Sql => sql`date_bin('15 minutes', ${instant}, 'epoch')`;

/**
 * Parts of a WITH after `range` (since, until): `gap_row` (first_clicked_at, first_settled_at, gap). Rows keep their gap since their
 * isolate was compacted; of isolates that got rows since, it is read from all their rows.
 */
export const GAPS: Sql = sql`
  touched AS MATERIALIZED (
    SELECT DISTINCT isolate_id FROM segment_ledger WHERE gap IS NULL
  ), ordered AS (
    SELECT first_clicked_at, first_settled_at, first_sequence - COALESCE(max(first_sequence + click_count) OVER (
        PARTITION BY isolate_id ORDER BY first_sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), 1) AS gap
    FROM segment_ledger JOIN touched USING (isolate_id)
  ), gap_row AS (
    SELECT ordered.* FROM ordered, range WHERE gap > 0 AND first_clicked_at >= since AND first_clicked_at < until
    UNION ALL
    SELECT first_clicked_at, first_settled_at, gap FROM segment_ledger, range
    WHERE gap > 0 AND first_clicked_at >= since AND first_clicked_at < until
      AND NOT EXISTS (SELECT FROM touched WHERE touched.isolate_id = segment_ledger.isolate_id)
  )`;

/** The same, and `account` (at, segments, delivered, inserted, duplicates, rejected, dead_lettered, gaps, unsettled, waiting). */
export const ACCOUNTS: Sql = sql`${GAPS}, account AS (
    SELECT bucket_start AS at, segments, delivered, inserted, duplicates, rejected, dead_lettered, gaps,
      delivered - inserted - rejected - dead_lettered AS unsettled, 0 AS waiting
    FROM ledger_sums, range WHERE bucket_start >= since AND bucket_start < until
    UNION ALL
    SELECT first_clicked_at, (click_count > 0)::integer, click_count, inserted, duplicates, rejected, dead_lettered, 0,
      -- A segment that claims more clicks than it has would hide a gap of the same size.
      GREATEST(click_count - inserted - rejected - dead_lettered, 0),
      CASE WHEN last_settled_at > settled_at THEN GREATEST(click_count - inserted - rejected - dead_lettered, 0) ELSE 0 END
    FROM segment_ledger, range WHERE ${IS_OPEN} AND first_clicked_at >= since AND first_clicked_at < until
    UNION ALL
    SELECT first_clicked_at, 0, 0, 0, 0, 0, 0, gap, 0, CASE WHEN first_settled_at > settled_at THEN gap ELSE 0 END
    FROM gap_row, range
  )`;

/** `range`, whose edges are epoch milliseconds: whole quarters of an hour. */
export const rangeOf = (sinceMs: number, untilMs: number): Sql => sql`
  range AS (
    SELECT to_timestamp(${sinceMs}::float8 / 1000.0) AS since, to_timestamp(${untilMs}::float8 / 1000.0) AS until,
      now() - ${SETTLES_WITHIN_MS}::float8 * interval '1 millisecond' AS settled_at
  )`;
