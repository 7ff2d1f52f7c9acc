/** Splits a range into pieces, each read from the cheapest source that is exact there. Pure. */
import type { InstantRange } from "@hopline/analytics/range";
import type { CompleteName, Source, SummarySource } from "./source.ts";

/** From inclusive, to exclusive; epoch milliseconds. */
export type Piece = InstantRange & {
  readonly source: Source;
  /** -1: subtracts what other pieces include beyond the range. */
  readonly sign: 1 | -1;
};

/**
 * Pieces that add up to the range. The inside, as far as it is whole rows of the first source, is read from that; the two ends
 * from the sources after it. If only events can answer an end and it is most of a row, the whole row is read and the events of the
 * rest are subtracted: rows are few, events are many.
 *
 * @param sources cheapest first; the last must have a grain of 1 ms.
 * @param boundariesMs instants that no row may span: the starts of a chart's buckets.
 */
export function planPieces(
  range: InstantRange,
  sources: readonly Source[],
  boundariesMs: readonly number[] = [],
): readonly Piece[] {
  const [source, ...finer] = sources;
  if (source === undefined) {
    throw new Error("invariant: the last source can read any range");
  }
  const { grainMs } = source;
  const isUsable = boundariesMs.every((atMs) => atMs % grainMs === 0 || atMs <= range.fromMs);
  const insideFromMs = Math.ceil(range.fromMs / grainMs) * grainMs;
  const insideToMs = Math.floor(range.toMs / grainMs) * grainMs;
  if (!isUsable || insideFromMs >= insideToMs) {
    return range.fromMs < range.toMs ? planPieces(range, finer, boundariesMs) : [];
  }
  // A row that starts before the range would be in no bucket of a chart.
  const mayTakeAway = finer.length === 1 && boundariesMs.length === 0;
  const isMost = (lengthMs: number) => mayTakeAway && lengthMs * 2 > grainMs;
  const fromMs = isMost(insideFromMs - range.fromMs) ? insideFromMs - grainMs : insideFromMs;
  const toMs = isMost(range.toMs - insideToMs) ? insideToMs + grainMs : insideToMs;
  const planEnd = (end: InstantRange): readonly Piece[] =>
    end.fromMs < end.toMs ? planPieces(end, finer, boundariesMs) : [];
  const takeAway = (end: InstantRange): readonly Piece[] =>
    planEnd(end).map((piece) => ({ ...piece, sign: -1 }));
  return [
    ...planEnd({ fromMs: range.fromMs, toMs: fromMs }),
    ...takeAway({ fromMs, toMs: range.fromMs }),
    { source, sign: 1, fromMs, toMs },
    ...takeAway({ fromMs: range.toMs, toMs }),
    ...planEnd({ fromMs: toMs, toMs: range.toMs }),
  ];
}

/** Adjacent pieces of summaries: what they lack is read from one complete source. */
export type SummaryRun = InstantRange & {
  readonly otherwise: CompleteName;
  readonly pieces: readonly (InstantRange & { readonly source: SummarySource })[];
};

/** A piece of another source. */
export type OtherPiece = Omit<Piece, "source"> & { readonly source: Exclude<Source, SummarySource> };

/** The pieces, with those of summaries joined. */
export function joinSummaries(pieces: readonly Piece[]): readonly (OtherPiece | SummaryRun)[] {
  const joined: (OtherPiece | SummaryRun)[] = [];
  for (const { source, sign, fromMs, toMs } of pieces) {
    if (source.kind !== "summary") {
      joined.push({ source, sign, fromMs, toMs });
      continue;
    }
    const { otherwise } = source;
    const last = joined.at(-1);
    const run = last !== undefined && "pieces" in last && last.otherwise === otherwise ? last : null;
    if (run !== null) {
      joined.pop();
    }
    const own = { source, fromMs, toMs };
    joined.push({ otherwise, fromMs: run?.fromMs ?? fromMs, toMs, pieces: [...(run?.pieces ?? []), own] });
  }
  return joined;
}
