/**
 * A segment on its way into the database, whichever way it came: a queue, the spill, a replay. Clicks are enriched once,
 * however often the statement has to be tried.
 */
import type { Click } from "@hopline/core/click/click";
import { eventIdOf } from "@hopline/core/click/event-id";
import type { Segment } from "@hopline/core/click/segment";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import type { SegmentEntry } from "@hopline/db/ingest/segment-entry";
import type { Enrichment } from "../enrich/enrichment.ts";
import { toClickRow } from "./to-click-row.ts";

export type PendingSegment = Segment & {
  /** One for each of `clicks`. */
  readonly rows: readonly ClickRow[];
  /** How many messages of this delivery carry the segment. */
  readonly copies: number;
  /** How often these messages were given back to their queue before. */
  readonly retries: number;
  /** Epoch milliseconds. */
  readonly receivedAtMs: number;
  /** Where the ledger keeps this segment; of a click that is replayed by itself, the segment it came in. */
  readonly ledger: LedgerPlace;
};

export type LedgerPlace = Pick<SegmentEntry, "firstSequence" | "clickCount">;

export type Delivery = {
  readonly copies: number;
  /** 0 when left out. */
  readonly retries?: number;
  readonly receivedAtMs: number;
  readonly ledger?: LedgerPlace;
};

/** Enriches a segment. Rejects only when WebCrypto does. */
export async function toPendingSegment(
  segment: Segment,
  delivery: Delivery,
  enrichment: Enrichment,
): Promise<PendingSegment> {
  const { isolateId, firstSequence, clicks } = segment;
  const rows = await Promise.all(
    clicks.map((click, index) => toClickRow(eventIdOf(isolateId, firstSequence + index), click, enrichment)),
  );
  const ledger = delivery.ledger ?? { firstSequence, clickCount: clicks.length };
  const { copies, retries = 0, receivedAtMs } = delivery;
  return { ...segment, rows, copies, retries, receivedAtMs, ledger };
}

/** A segment that will be buried and not written: nothing of the enrichment is needed, or may stand in the way. */
export function toBuriedSegment(segment: Segment, receivedAtMs: number): PendingSegment {
  const { firstSequence, clicks } = segment;
  return {
    ...segment,
    rows: [],
    copies: 1,
    retries: 0,
    receivedAtMs,
    ledger: { firstSequence, clickCount: clicks.length },
  };
}

/** What the ledger is told when `sentCount` clicks of the segment are settled, or the first of them. */
export function toLedgerEntry(
  segment: PendingSegment,
  sentCount: number,
  isFirstPart: boolean,
): SegmentEntry {
  const instants = segment.clicks.map((click: Click) => click.clickedAtMs);
  return {
    isolateId: segment.isolateId,
    ...segment.ledger,
    sentCount: sentCount * segment.copies,
    // A click that is replayed by itself is no delivery of the segment it once came in.
    deliveries: isFirstPart && segment.clicks.length === segment.ledger.clickCount ? segment.copies : 0,
    receivedAtMs: segment.receivedAtMs,
    firstClickedAtMs: Math.min(...instants),
    lastClickedAtMs: Math.max(...instants),
  };
}
