/**
 * A segment that is ready to be written, whether it came from a queue, the spill or a replay. Its clicks are enriched
 * once, however often the statement has to be retried.
 */
import { eventIdOf } from "@hopline/core/click/event-id";
import type { Segment } from "@hopline/core/click/segment";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import { cutByQuarters, type SegmentEntry } from "@hopline/db/ingest/segment-entry";
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
  /** Of a click that is replayed alone: where the ledger keeps the segment it came in. */
  readonly ledger?: LedgerPlace;
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
  return { ...segment, copies: 1, retries: 0, ...delivery, rows, crash };
}

/** Clicks `from` to `to` (exclusive) of a segment. */
export type SegmentPart = {
  readonly segment: PendingSegment;
  readonly from: number;
  readonly to: number;
  /** Indexes of clicks that are buried. */
  readonly buried?: ReadonlySet<number>;
};

/** `rows`: the part's clicks of this piece. */
export type LedgerPiece = { readonly entry: SegmentEntry; readonly rows: readonly (ClickRow | null)[] };

/** For the ledger, when the part is settled: an entry for each of the ledger's rows that it belongs to, in order. */
export function toLedgerPieces({ segment, from, to, buried }: SegmentPart): readonly LedgerPiece[] {
  const { isolateId, firstSequence, receivedAtMs, copies, ledger } = segment;
  const instants = segment.clicks.map((click) => click.clickedAtMs);
  return cutByQuarters(instants)
    .filter((piece) => piece.from === piece.to || (piece.from < to && from < piece.to))
    .map((piece) => {
      // A report without clicks is the word that all before it exist, at the latest now.
      const own = piece.from === piece.to ? [receivedAtMs] : instants.slice(piece.from, piece.to);
      const [first, end] = [Math.max(from, piece.from), Math.min(to, piece.to)];
      const rows = segment.rows
        .slice(first, end)
        .filter((_row, index) => buried?.has(first + index) !== true);
      const entry = {
        isolateId,
        firstSequence: firstSequence + piece.from,
        clickCount: piece.to - piece.from,
        ...ledger,
        sentCount: rows.length * copies,
        // A click that is replayed alone is not a delivery of the segment it came in.
        deliveries: ledger === undefined && from <= piece.from ? copies : 0,
        receivedAtMs,
        firstClickedAtMs: Math.min(...own),
        lastClickedAtMs: Math.max(...own),
      };
      return { entry, rows };
    });
}
