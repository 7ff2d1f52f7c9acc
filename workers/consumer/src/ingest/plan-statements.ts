/** Divides segments into statements, and a refused statement into smaller ones. Pure. */
import type { ClickBatch } from "@hopline/db/ingest/insert-clicks";
import { type SegmentPart, toLedgerPieces } from "./pending-segment.ts";

/** Whole segments in the given order, as many per statement as fit. */
export function planStatements(
  segments: readonly SegmentPart[],
  maxClicks: number,
): readonly (readonly SegmentPart[])[] {
  const statements: SegmentPart[][] = [];
  let clicks = Number.POSITIVE_INFINITY;
  for (const part of segments) {
    const count = part.to - part.from;
    if (clicks + count > maxClicks) {
      statements.push([]);
      clicks = 0;
    }
    statements.at(-1)?.push(part);
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

export function toClickBatch(parts: readonly SegmentPart[]): ClickBatch {
  const pieces = parts.flatMap(toLedgerPieces);
  return {
    rows: pieces.flatMap(({ rows }) => rows.filter((row) => row !== null)),
    segmentOfRow: pieces.flatMap(({ rows }, index) => Array<number>(rows.length).fill(index)),
    segments: pieces.map(({ entry }) => entry),
    retries: parts.reduce((sum, { segment, from }) => sum + (from === 0 ? segment.retries : 0), 0),
  };
}
