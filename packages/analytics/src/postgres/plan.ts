/** Splits a range by what can count it: whole UTC days, whole quarters of an hour, and the rest. Pure. */
import { DAY_MS, floorToDay, QUARTER_MS } from "../calendar.ts";
import type { InstantRange } from "../range.ts";

/** Spans that add up to the range, each list in order. */
export type Plan = {
  readonly days: readonly InstantRange[];
  readonly quarters: readonly InstantRange[];
  /** Less than a quarter of an hour each. */
  readonly instants: readonly InstantRange[];
};

/** @param boundariesMs instants that no counted row may span: the starts of a chart's buckets, ascending. */
export function planRange(range: InstantRange, boundariesMs: readonly number[] = []): Plan {
  const cuts = boundariesMs.filter((atMs) => atMs > range.fromMs && atMs < range.toMs);
  const edges = [range.fromMs, ...cuts, range.toMs];
  const days = subtract([range], cutGrains(edges, DAY_MS));
  const rest = subtract([range], days);
  const quarters = subtract(rest, cutGrains(edges, QUARTER_MS));
  return { days, quarters, instants: subtract(rest, quarters) };
}

/** UTC days of which the spans have more than half, and what they lack of these. */
export function daysMostlyIn(spans: readonly InstantRange[]) {
  const starts = spans.flatMap(({ fromMs, toMs }) => [floorToDay(fromMs), floorToDay(toMs - 1)]);
  const days = [...new Set(starts)]
    .map((fromMs) => ({ fromMs, toMs: fromMs + DAY_MS }))
    .filter((day) => lengthOf(subtract([day], spans)) < DAY_MS / 2);
  return { days, lacking: subtract(days, spans) };
}

export function lengthOf(spans: readonly InstantRange[]): number {
  return spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

/** The multiples of `grainMs` that have an edge inside. */
function cutGrains(edges: readonly number[], grainMs: number): readonly InstantRange[] {
  return edges
    .filter((atMs) => atMs % grainMs !== 0)
    .map((atMs) => Math.floor(atMs / grainMs) * grainMs)
    .map((fromMs) => ({ fromMs, toMs: fromMs + grainMs }));
}

/** What the holes leave of the spans, both in order. */
function subtract(spans: readonly InstantRange[], holes: readonly InstantRange[]): readonly InstantRange[] {
  return spans.flatMap(({ fromMs, toMs }) => {
    const inside = holes.filter((hole) => hole.fromMs < toMs && hole.toMs > fromMs);
    const starts = [fromMs, ...inside.map((hole) => hole.toMs)];
    const ends = [...inside.map((hole) => hole.fromMs), toMs];
    return starts
      .map((startMs, index) => ({ fromMs: startMs, toMs: ends[index] ?? toMs }))
      .filter((left) => left.fromMs < left.toMs);
  });
}
