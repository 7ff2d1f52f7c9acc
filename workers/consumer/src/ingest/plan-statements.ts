/** Divides segments into statements, and a refused statement into smaller ones. Pure. */
import { type ClickBatch, MAX_BATCH_CLICKS } from "@hopline/db/ingest/insert-clicks";
import { type PendingSegment, type SegmentPart, toLedgerEntries } from "./pending-segment.ts";

/** Whole segments in the given order, as many per statement as fit. */
export function planStatements(segments: readonly PendingSegment[]): readonly (readonly SegmentPart[])[] {
  const statements: SegmentPart[][] = [];
  let clicks = Number.POSITIVE_INFINITY;
  for (const segment of segments) {
    const count = segment.rows.length;
    if (clicks + count > MAX_BATCH_CLICKS) {
      statements.push([]);
      clicks = 0;
    }
    statements.at(-1)?.push({ segment, from: 0, to: count });
    clicks += count;
  }
  return statements;
}

/** Two halves, split between segments first, then inside of one. `null` for a single click: that is the culprit. */
export function halve(
  parts: readonly SegmentPart[],
): readonly [readonly SegmentPart[], readonly SegmentPart[]] | null {
  const [only] = parts;
  if (only === undefined || parts.length > 1) {
    const middle = parts.length >> 1;
    return middle === 0 ? null : [parts.slice(0, middle), parts.slice(middle)];
  }
  const middle = (only.from + only.to) >> 1;
  return middle === only.from ? null : [[{ ...only, to: middle }], [{ ...only, from: middle }]];
}

/** `null` if one of the clicks could not be enriched. */
export function toClickBatch(parts: readonly SegmentPart[]): ClickBatch | null {
  const rows = parts.flatMap(({ segment, from, to }) => segment.rows.slice(from, to));
  if (!rows.every((row) => row !== null)) {
    return null;
  }
  const pieces = parts.flatMap((part) =>
    toLedgerEntries(part).map((entry) => ({ entry, clicks: entry.sentCount / part.segment.copies })),
  );
  return {
    rows,
    segmentOfRow: pieces.flatMap(({ clicks }, index) => Array<number>(clicks).fill(index)),
    segments: pieces.map(({ entry }) => entry),
    retries: parts.reduce((sum, { segment, from }) => sum + (from === 0 ? segment.retries : 0), 0),
  };
}
