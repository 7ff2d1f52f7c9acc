/** Splits a range by what can count it: whole UTC days, whole quarters of an hour, and the rest. Pure. */
import { DAY_MS } from "../calendar.ts";
import type { InstantRange } from "../range.ts";

export const QUARTER_MS = 900_000;

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
  const buckets = edges.slice(1).map((toMs, index) => ({ fromMs: edges[index] ?? toMs, toMs }));
  const byDay = buckets.map((bucket) => cut(bucket, DAY_MS));
  const byQuarter = byDay.flatMap(({ ends }) => ends).map((end) => cut(end, QUARTER_MS));
  return {
    days: join(byDay.flatMap(({ inside }) => inside)),
    quarters: join(byQuarter.flatMap(({ inside }) => inside)),
    instants: join(byQuarter.flatMap(({ ends }) => ends)),
  };
}

/** The inside, as far as it is whole multiples of `grainMs`, and what is left at the ends. */
function cut({ fromMs, toMs }: InstantRange, grainMs: number) {
  const insideFromMs = Math.ceil(fromMs / grainMs) * grainMs;
  const insideToMs = Math.floor(toMs / grainMs) * grainMs;
  if (insideFromMs >= insideToMs) {
    return { inside: [], ends: [{ fromMs, toMs }].filter(isNotEmpty) };
  }
  const ends = [
    { fromMs, toMs: insideFromMs },
    { fromMs: insideToMs, toMs },
  ];
  return { inside: [{ fromMs: insideFromMs, toMs: insideToMs }], ends: ends.filter(isNotEmpty) };
}

function isNotEmpty({ fromMs, toMs }: InstantRange): boolean {
  return fromMs < toMs;
}

/** Adjacent spans become one. */
function join(spans: readonly InstantRange[]): readonly InstantRange[] {
  const joined: InstantRange[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last !== undefined && last.toMs === span.fromMs) {
      joined[joined.length - 1] = { fromMs: last.fromMs, toMs: span.toMs };
    } else {
      joined.push(span);
    }
  }
  return joined;
}
