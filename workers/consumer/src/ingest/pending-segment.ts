/**
 * A segment that is ready to be written, whether it came from a queue, the spill or a replay. Its clicks are enriched
 * once, however often the statement has to be retried.
 */
import { eventIdOf } from "@hopline/core/click/event-id";
import type { Segment } from "@hopline/core/click/segment";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import type { SegmentEntry } from "@hopline/db/ingest/segment-entry";
import type { Enrichment } from "../enrich/enrichment.ts";
import { toClickRow } from "./to-click-row.ts";

export type PendingSegment = Segment & {
  /** One for each of `clicks`; `null` for a click that could not be enriched. */
  readonly rows: readonly (ClickRow | null)[];
  /** Name of the first error of the enrichment, which should have none; `null` if all rows are there. */
  readonly crash: string | null;
  /** How many messages of this delivery carry the segment. */
  readonly copies: number;
  /** How often these messages were returned to their queue before. */
  readonly retries: number;
  /** Epoch milliseconds. */
  readonly receivedAtMs: number;
  /** Where the ledger keeps this segment. For a click that is replayed alone: the segment it came in. */
  readonly ledger: LedgerPlace;
};

export type LedgerPlace = Pick<SegmentEntry, "firstSequence" | "clickCount">;

export type Delivery = Pick<PendingSegment, "receivedAtMs"> &
  Partial<Pick<PendingSegment, "copies" | "retries" | "ledger">>;

/** Enriches a segment. Never rejects. */
export async function toPendingSegment(
  segment: Segment,
  delivery: Delivery,
  enrichment: Enrichment,
): Promise<PendingSegment> {
  const { isolateId, firstSequence, clicks } = segment;
  let crash: string | null = null;
  const rows = await Promise.all(
    clicks.map((click, index) =>
      toClickRow(eventIdOf(isolateId, firstSequence + index), click, enrichment).catch((error: unknown) => {
        crash ??= error instanceof Error ? error.name : typeof error;
        return null;
      }),
    ),
  );
  const ledger = { firstSequence, clickCount: clicks.length };
  return { ...segment, copies: 1, retries: 0, ledger, ...delivery, rows, crash };
}

/** What to tell the ledger when `sentCount` clicks of the segment are settled, or the first of them. */
export function toLedgerEntry(
  segment: PendingSegment,
  sentCount: number,
  isFirstPart: boolean,
): SegmentEntry {
  const { receivedAtMs } = segment;
  // A report without clicks is the word that all before it exist, at the latest now.
  const instants =
    segment.clicks.length === 0 ? [receivedAtMs] : segment.clicks.map((click) => click.clickedAtMs);
  return {
    isolateId: segment.isolateId,
    ...segment.ledger,
    sentCount: sentCount * segment.copies,
    // A click that is replayed alone is not a delivery of the segment it came in.
    deliveries: isFirstPart && segment.clicks.length === segment.ledger.clickCount ? segment.copies : 0,
    receivedAtMs,
    firstClickedAtMs: Math.min(...instants),
    lastClickedAtMs: Math.max(...instants),
  };
}
