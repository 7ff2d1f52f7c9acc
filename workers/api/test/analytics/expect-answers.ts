/** The API's answers to a question, compared with plain arithmetic over the clicks of a world. */
import type { z } from "@hono/zod-openapi";
import { expect } from "vitest";
import type { BreakdownBody } from "../../src/analytics/breakdowns.ts";
import { toPublicClickId } from "../../src/analytics/click-shape.ts";
import type { CountsBody, SeriesBody } from "../../src/analytics/counts.ts";
import type { RangeBody } from "../../src/analytics/question-shape.ts";
import {
  ALL,
  ask,
  countVisitors,
  matchingRows,
  type Query,
  toQuery,
  valuesOf,
  type World,
  type WorldFilter,
  type WorldQuestion,
} from "./analytics-world.ts";

type Rows = ReturnType<typeof matchingRows>;

export type Counts = z.infer<typeof CountsBody>;
export type Told = { readonly range: z.infer<typeof RangeBody> };
export type Series = z.infer<typeof SeriesBody>;
export type Breakdown = z.infer<typeof BreakdownBody>;
export type Comparison = { readonly previous: Counts & Told };
type Screen = {
  readonly series: Series;
  readonly lists: readonly Breakdown[];
  readonly facets: readonly Breakdown[];
};
export type Events = Told & {
  readonly data: readonly { readonly id: string }[];
  readonly nextCursor: string | null;
};

export type WorldCounts = WorldQuestion & {
  readonly visitors: boolean;
  readonly interval: string;
  readonly timeZone: string;
  /** `null`: totals and series alone. */
  readonly dimension: string | null;
  readonly limit: number;
};

const COMPLETE = { range: { complete: true } };

/** Totals, series, breakdown and lines: all are complete, and what the clicks say. */
export async function expectCounts(world: World, asked: WorldCounts): Promise<void> {
  const { visitors, interval, timeZone, dimension, limit } = asked;
  const query = { ...toQuery(asked), timeZone };
  const rows = matchingRows(world, asked);
  const countsOf = (of: Rows) => countRows(of, visitors);

  const totals = await ask(world, "totals", { ...query, visitors });
  expect(totals).toMatchObject({ ...countsOf(rows), ...COMPLETE });

  const series = await ask<Series & Told>(world, "timeseries", { ...query, visitors, interval });
  const buckets = toBuckets(series, rows);
  expect(series).toMatchObject({ points: buckets.map(countsOf), ...COMPLETE });
  if (dimension === null) {
    return;
  }

  const breakdown = await ask<Breakdown>(world, "breakdown", { ...query, visitors, dimension, limit });
  const rowsOf = groupBy(world, rows, dimension);
  const ranked = [...rowsOf.values()].map((all) => all.length).toSorted((one, other) => other - one);
  const listed = breakdown.values.map(({ value }) => value);
  expect(breakdown).toMatchObject({
    values: listed.map((value) => ({ value, ...countsOf(rowsOf.get(value) ?? []) })),
    other: {
      clicks: ranked.slice(limit).reduce((sum, clicks) => sum + clicks, 0),
      values: Math.max(0, ranked.length - limit),
    },
    total: rows.length,
    ...COMPLETE,
  });
  expect(breakdown.values.map(({ clicks }) => clicks)).toEqual(ranked.slice(0, limit));
  expect(new Set(listed).size).toBe(listed.length);
  if (dimension !== "domain" && dimension !== "link") {
    // Those are in the order of ids, which only the database knows.
    const ties = [...rowsOf]
      .map(([value, all]) => ({ value, clicks: all.length }))
      .toSorted(byClicksThenBytes);
    expect(listed).toEqual(ties.slice(0, limit).map(({ value }) => value));
  }

  const lines = await ask(world, "lines", { ...query, interval, dimension, limit });
  const pointsOf = (isCounted: (value: string | null) => boolean) =>
    buckets.map(
      (bucket) => bucket.flatMap((row) => valuesOf(world, row, dimension)).filter(isCounted).length,
    );
  expect(lines).toMatchObject({
    starts: series.points.map(({ at }) => at),
    lines: listed.map((value) => ({ value, points: pointsOf((one) => one === value) })),
    other: { points: pointsOf((one) => !listed.includes(one)) },
    ...COMPLETE,
  });
}

type Ranked = { readonly value: string | null; readonly clicks: number };

/** Unknown is last of its equals. */
function byClicksThenBytes(one: Ranked, other: Ranked): number {
  if (one.clicks !== other.clicks || one.value === null || other.value === null) {
    return other.clicks - one.clicks || Number(one.value === null) - Number(other.value === null);
  }
  return Buffer.compare(Buffer.from(one.value), Buffer.from(other.value));
}

function countRows(rows: Rows, visitors: boolean): Counts {
  return { clicks: rows.length, visitors: visitors ? countVisitors(rows) : null };
}

/** The clicks of each point of a series. Each is in one. */
function toBuckets({ points }: Series, rows: Rows): readonly Rows[] {
  const starts = points.map(({ at }) => Date.parse(at));
  const isIn = ({ clickedAtMs }: Rows[number], index: number) =>
    clickedAtMs >= (starts[index] ?? Infinity) && clickedAtMs < (starts[index + 1] ?? Infinity);
  const buckets = starts.map((_start, index) => rows.filter((row) => isIn(row, index)));
  expect(buckets.flat().length).toBe(rows.length);
  return buckets;
}

/** The clicks of each value. A click has as many as its link has tags. */
function groupBy(world: World, rows: Rows, dimension: string): ReadonlyMap<string | null, Rows> {
  const pairs = rows.flatMap((row) => valuesOf(world, row, dimension).map((value) => ({ value, row })));
  const groups = Map.groupBy(pairs, ({ value }) => value);
  return new Map([...groups].map(([value, all]) => [value, all.map(({ row }) => row)]));
}

/** The range beside its predecessor, which the answer names. */
export async function expectComparison(world: World, asked: WorldCounts): Promise<void> {
  const { visitors, timeZone } = asked;
  const query = { ...toQuery(asked), visitors, timeZone };
  const { previous, ...rest } = await ask<Comparison>(world, "compare", query);
  const [fromMs, toMs] = [Date.parse(previous.range.from), Date.parse(previous.range.to)];
  const countsIn = (span: { readonly fromMs: number; readonly toMs: number }) => {
    const rows = matchingRows(world, { ...asked, ...span });
    return { ...countRows(rows, visitors), ...COMPLETE };
  };
  expect(previous).toMatchObject(countsIn({ fromMs, toMs }));
  expect(rest).toMatchObject({ current: countsIn(asked) });
}

export type WorldScreen = WorldQuestion & {
  readonly lists: readonly string[];
  readonly facets: readonly string[];
};

/** An overview's totals, chart, lists, and facets, which ignore the filters of their own dimension. */
export async function expectScreen(world: World, asked: WorldScreen): Promise<void> {
  const { lists, facets, filters } = asked;
  const query = { ...toQuery(asked), visitors: true, lists, facets, limit: 100 };
  const screen = await ask<Screen>(world, "overview", query);
  const countsOf = (dimension: string, ofList: readonly WorldFilter[]) => {
    const rows = matchingRows(world, { ...asked, filters: ofList });
    const values = [...groupBy(world, rows, dimension)].map(([value, all]) => [value, all.length] as const);
    return { dimension, total: rows.length, values: new Map(values) };
  };
  const shown = ({ dimension, total, values }: Breakdown) => ({
    dimension,
    total,
    values: new Map(values.map(({ value, clicks }) => [value, clicks])),
  });
  const rows = matchingRows(world, asked);
  const points = toBuckets(screen.series, rows).map((bucket) => countRows(bucket, false));
  expect(screen).toMatchObject({ totals: countRows(rows, true), series: { points }, ...COMPLETE });
  const without = (dimension: string) => [
    ...filters.filter((filter) => filter.dimension !== dimension),
    ...(dimension === "class" ? [ALL] : []),
  ];
  expect(screen.lists.map(shown)).toEqual(lists.map((dimension) => countsOf(dimension, filters)));
  expect(screen.facets.map(shown)).toEqual(
    facets.map((dimension) => countsOf(dimension, without(dimension))),
  );
}

/** The ids of the clicks, newest first. */
export function idsOf(rows: Rows): readonly string[] {
  return rows
    .toSorted((a, b) => b.clickedAtMs - a.clickedAtMs || (a.eventId < b.eventId ? 1 : -1))
    .map(({ eventId }) => toPublicClickId(eventId));
}

/** Every click once, page by page. @param maxPages fewer if the list ends before. */
export async function expectEvents(world: World, asked: WorldQuestion, maxPages = Infinity): Promise<void> {
  const ids: string[] = [];
  let cursor: Query | null = {};
  for (let page = 0; cursor !== null && page < maxPages; page += 1) {
    const { data, nextCursor }: Events = await ask(world, "events", {
      ...toQuery(asked),
      ...cursor,
      limit: 100,
    });
    ids.push(...data.map(({ id }) => id));
    cursor = nextCursor === null ? null : { cursor: nextCursor };
  }
  expect(ids).toEqual(idsOf(matchingRows(world, asked)).slice(0, maxPages * 100));
}
