/**
 * What a statement records about a segment in the ledger, and the SQL that adds it up. Every statement that settles clicks
 * ends in this upsert, so that inserted + rejected <= click_count holds whatever is delivered twice, in parts, or after a replay.
 */
import { type Sql, sql } from "../sql.ts";
import { type Column, toColumns } from "./columns.ts";

export type SegmentEntry = {
  readonly isolateId: string;
  /** With the isolate, the key of the ledger's row: where the segment begins, whichever part of it is written here. */
  readonly firstSequence: number;
  /** Clicks in the whole segment. 0: it only says that all clicks before it exist. */
  readonly clickCount: number;
  /** Clicks of it in this statement, counted once per copy of the message. */
  readonly sentCount: number;
  /** Messages that carried it; 0 for a further part of a segment. */
  readonly deliveries: number;
  /** When the consumer got the message; epoch milliseconds. */
  readonly receivedAtMs: number;
  /** Over the whole segment; epoch milliseconds. */
  readonly firstClickedAtMs: number;
  readonly lastClickedAtMs: number;
};

export const SEGMENT_COLUMNS: readonly Column<keyof SegmentEntry>[] = toColumns({
  isolateId: "text",
  firstSequence: "bigint",
  clickCount: "integer",
  sentCount: "integer",
  deliveries: "integer",
  receivedAtMs: "float8",
  firstClickedAtMs: "float8",
  lastClickedAtMs: "float8",
});

const QUARTER_MS = 900_000;

/**
 * Cuts clicks where the next one is of another quarter of an hour, so that a row of the ledger is of one. However often a segment is
 * delivered, it is cut in the same places.
 *
 * @param instants of the clicks, epoch milliseconds. Of none, one empty piece.
 */
export function cutByQuarters(
  instants: readonly number[],
): readonly { readonly from: number; readonly to: number }[] {
  const quarterOf = (index: number) => Math.floor((instants[index] ?? 0) / QUARTER_MS);
  const starts = instants.flatMap((_, index) =>
    index === 0 || quarterOf(index) !== quarterOf(index - 1) ? [index] : [],
  );
  return starts.length === 0
    ? [{ from: 0, to: 0 }]
    : starts.map((from, index) => ({ from, to: starts[index + 1] ?? instants.length }));
}

/** The row of a place that was only named gets its clicks when they arrive. */
const CLICK_COUNT = sql`GREATEST(ledger.click_count, excluded.click_count)`;
const OPEN = sql`${CLICK_COUNT} - ledger.inserted - excluded.inserted`;

/**
 * The upsert. `from` is the rest of a SELECT that offers `segment` (the columns above) and the numbers `inserted` and
 * `rejected` of this statement. Rows are locked in key order, so two statements never deadlock.
 *
 * What changes a row has it compacted again; but one that is compacted into a run at this moment stays in the sums.
 *
 * @param isCountable of a row that is there: whether it may get these clicks. Always, if left out.
 *
 * Returns for each row that was written its key, whether it is new and has clicks (a row that was updated carries the lock of this transaction in xmax), and its
 * delay in the queue. Clicks that are inserted later no longer count as rejected.
 */
export function ledgerUpsert(from: Sql, isCountable: Sql = sql`true`): Sql {
  return sql`
    INSERT INTO segment_ledger AS ledger
      (isolate_id, first_sequence, click_count, inserted, rejected, duplicates, deliveries,
       queue_delay_ms, first_clicked_at, last_clicked_at)
    SELECT segment.isolate_id, segment.first_sequence, segment.click_count, inserted, rejected,
      GREATEST(segment.sent_count - inserted - rejected, 0), segment.deliveries,
      GREATEST(segment.received_at_ms - segment.last_clicked_at_ms, 0)::bigint,
      to_timestamp(segment.first_clicked_at_ms / 1000.0), to_timestamp(segment.last_clicked_at_ms / 1000.0)
    ${from}
    ORDER BY segment.isolate_id, segment.first_sequence
    ON CONFLICT (isolate_id, first_sequence) DO UPDATE SET
      click_count = ${CLICK_COUNT},
      first_clicked_at = CASE WHEN ledger.click_count = 0 THEN excluded.first_clicked_at ELSE ledger.first_clicked_at END,
      last_clicked_at = CASE WHEN ledger.click_count = 0 THEN excluded.last_clicked_at ELSE ledger.last_clicked_at END,
      inserted = ledger.inserted + excluded.inserted,
      rejected = LEAST(ledger.rejected + excluded.rejected, ${OPEN}),
      duplicates = ledger.duplicates + excluded.duplicates,
      deliveries = ledger.deliveries + excluded.deliveries,
      last_settled_at = now(),
      gap = CASE WHEN ledger.click_count > 0 AND ledger.inserted = ledger.click_count THEN ledger.gap END
    WHERE ${isCountable}
    RETURNING isolate_id, first_sequence, xmax = 0 AND click_count > 0 AS is_new, queue_delay_ms`;
}
