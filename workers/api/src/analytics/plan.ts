/** Cuts a range into pieces, each read from the cheapest source that is exact there. Pure. */
import type { InstantRange } from "./range.ts";
import type { Source } from "./source.ts";

/** From inclusive, to exclusive; epoch milliseconds. */
export type Piece = InstantRange & { readonly source: Source };

/**
 * Pieces that cover the range without gap or overlap. The inside, as far as it is whole rows of the first source, is
 * read from that, the two ends from the sources after it.
 *
 * @param sources cheapest first; the last must have a grain of 1 ms.
 * @param boundariesMs instants that no row may lie across: where a chart's buckets begin.
 */
export function planPieces(
  range: InstantRange,
  sources: readonly Source[],
  boundariesMs: readonly number[] = [],
): readonly Piece[] {
  const [source, ...finer] = sources;
  if (source === undefined) {
    throw new Error("invariant: the last source takes any range");
  }
  const { grainMs } = source;
  const isUsable = boundariesMs.every((atMs) => atMs % grainMs === 0 || atMs <= range.fromMs);
  const fromMs = Math.ceil(range.fromMs / grainMs) * grainMs;
  const toMs = Math.floor(range.toMs / grainMs) * grainMs;
  if (!isUsable || fromMs >= toMs) {
    return range.fromMs < range.toMs ? planPieces(range, finer, boundariesMs) : [];
  }
  const planEnd = (end: InstantRange): readonly Piece[] =>
    end.fromMs < end.toMs ? planPieces(end, finer, boundariesMs) : [];
  return [
    ...planEnd({ fromMs: range.fromMs, toMs: fromMs }),
    { source, fromMs, toMs },
    ...planEnd({ fromMs: toMs, toMs: range.toMs }),
  ];
}
