/** The numbers of every question agree with each other, and with plain arithmetic over the clicks. */
import { toPublicClickId } from "../../src/analytics/click-shape.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIMENSIONS } from "@hopline/analytics/dimension";
import { tagsHandler } from "@hopline/analytics/cube/day-work";
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { dropOldClicks } from "@hopline/db/ledger/drop-old-clicks";
import { createNeonClient, createNeonTransactions } from "@hopline/db/neon-client";
import { runWork } from "@hopline/db/work/run-work";
import {
  addClicks,
  askAnalytics,
  atSameDensity,
  countVisitors,
  DAY_MS,
  fillWorld,
  FIRST_MS,
  HUMANS,
  LAST_MS,
  makeDaysOf,
  matchingRows,
  namesOf,
  publicLink,
  retag,
  toParameters,
  valuesOf,
  type World,
  type WorldFilter,
  YEAR_FROM_MS,
} from "./analytics-world.ts";
import { callApi } from "../call-api.ts";
import { openClickHouse, type TestClickHouse } from "../test-clickhouse.ts";
import { openStage, type Stage, type Workspace } from "../stage.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

let stage: Stage;
let clickHouse: TestClickHouse | null;
let workspace: Workspace;
let key: string;
let world: World;

beforeAll(async () => {
  clickHouse = HAS_CLICKHOUSE ? await openClickHouse() : null;
  stage = await openStage({ clickHouseUrl: clickHouse?.url ?? "" });
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["analytics:read"]);
  world = await fillWorld(stage, workspace, "00c0ffee00000001");
});

afterAll(async () => {
  await stage.close();
  await clickHouse?.close();
});

type Counts = { readonly clicks: number; readonly visitors: number | null };
type Breakdown = {
  readonly values: readonly (Counts & { readonly value: string | null; readonly label: string | null })[];
  readonly other: { readonly clicks: number; readonly values: number };
  readonly total: number;
};
type Line = { readonly value: string | null; readonly points: readonly number[] };
type Lines = {
  readonly starts: readonly string[];
  readonly lines: readonly Line[];
  readonly other: { readonly points: readonly number[] };
};
type Comparison = {
  readonly previous: Counts & { readonly range: { readonly from: string; readonly to: string } };
  readonly current: Counts;
  readonly change: number | null;
};
type Series = { readonly interval: string; readonly points: readonly (Counts & { readonly at: string })[] };
type Screen = {
  readonly totals: Counts;
  readonly series: Series;
  readonly lists: readonly Breakdown[];
  readonly facets: readonly Breakdown[];
  readonly range: object;
};
type Events = { readonly data: readonly { readonly id: string }[]; readonly nextCursor: string | null };
type Problem = { readonly code: string; readonly errors: readonly { path: string; message: string }[] };

const ask = <Body>(name: string, parameters: URLSearchParams | Record<string, string>, ofKey = key) =>
  askAnalytics<Body>({ stage, key: ofKey }, name, parameters);

function toScreen(
  question: URLSearchParams,
  lists: readonly string[],
  facets: readonly string[],
): URLSearchParams {
  const listed = lists.map((dimension) => ["lists", dimension] as const);
  const counted = facets.map((dimension) => ["facets", dimension] as const);
  return new URLSearchParams([...question, ...listed, ...counted, ["limit", "100"]]);
}

function withParameter(parameters: URLSearchParams, name: string, value: string): URLSearchParams {
  return new URLSearchParams([...parameters, [name, value]]);
}

const HOUR_MS = 3_600_000;

const sum = (counts: readonly Counts[]): number => counts.reduce((total, { clicks }) => total + clicks, 0);

const anInstant = fc.oneof(
  fc.integer({ min: FIRST_MS, max: LAST_MS }),
  fc.integer({ min: 0, max: (LAST_MS - FIRST_MS) / 900_000 }).map((bucket) => FIRST_MS + bucket * 900_000),
  fc.integer({ min: 0, max: (LAST_MS - FIRST_MS) / 86_400_000 }).map((day) => FIRST_MS + day * 86_400_000),
);

const FILTERED = [
  "link",
  "domain",
  "tag",
  "class",
  "variant",
  "destination",
  "country",
  "region",
  "city",
  "referrer",
  "utmSource",
  "device",
];

const SCOPES = ["link", "tag", "country", "referrer", "browser", "os", "device"];

/** A scope of a day's summaries. */
function aScope(): fc.Arbitrary<WorldFilter> {
  return fc.constantFrom(...SCOPES).chain((dimension) => {
    const occurring = [...new Set(world.rows.flatMap((row) => valuesOf(world, row, dimension)))];
    return fc.constantFrom(...occurring).map((value) => ({ dimension, values: [value], isNot: false }));
  });
}

/** Values that occur, including the empty one if there can be one. */
function aFilter(): fc.Arbitrary<WorldFilter> {
  return fc.constantFrom(...FILTERED).chain((dimension) => {
    const occurring = [...new Set(world.rows.flatMap((row) => namesOf(world, row, dimension)))];
    return fc.record({
      dimension: fc.constant(dimension),
      values: fc.uniqueArray(fc.constantFrom(...occurring), { minLength: 1, maxLength: 3 }),
      isNot: fc.boolean(),
    });
  });
}

function aQuestion() {
  return fc.record({
    edges: fc.uniqueArray(anInstant, { minLength: 2, maxLength: 2 }),
    filters: fc.uniqueArray(fc.oneof(aFilter(), aScope()), {
      maxLength: 3,
      selector: ({ dimension, isNot }) => `${dimension}${isNot}`,
    }),
    dimension: fc.constantFrom(...DIMENSIONS),
    zone: fc.constantFrom(
      "UTC",
      "Asia/Kathmandu",
      "Europe/Berlin",
      "America/New_York",
      "Australia/Lord_Howe",
    ),
    wanted: fc.constantFrom("hour", "day", "week", "month", "quarter", "year"),
    visitors: fc.boolean(),
  });
}

/** A dashboard's questions: a few selected values, and the choices next to them. Then lists share what they are counted from. */
function aScreen() {
  const listed = fc.uniqueArray(fc.constantFrom(...DIMENSIONS), { maxLength: 4 });
  return fc
    .record({
      edges: fc.uniqueArray(anInstant, { minLength: 2, maxLength: 2 }),
      filters: fc.uniqueArray(aScope(), { maxLength: 2, selector: ({ dimension }) => dimension }),
      lists: listed,
      choices: listed,
    })
    .map(({ filters, choices, ...screen }) => {
      const facets = [...new Set([...filters.map(({ dimension }) => dimension), ...choices])];
      return { ...screen, filters, facets };
    });
}

/** Each continues from the previous one. The cube changes how answers are found, never the answers. */
const STATES: readonly (readonly [string, () => Promise<void>])[] = [
  ["no day is in the cube", () => Promise.resolve()],
  ["some days are in the cube", () => makeDays((day) => day % 3 === 0)],
  [
    "every day is, and every tag",
    async () => {
      await makeDays(() => true);
      await makeTags();
    },
  ],
  [
    "links came to tags and left them since, and a tag was renamed",
    async () => {
      await retag(stage, world, [["mail"], ["2026"], ["mail", "new"], [], ["print"]]);
      await renameTag("mail", "letter");
    },
  ],
  [
    "clicks came late",
    () => addClicks(stage, world, { isolateId: "00c0ffee00000003", clicks: atSameDensity(150) }),
  ],
  [
    "some days with late clicks are made again, and every tag",
    async () => {
      await makeDays((day) => day % 3 === 0);
      await makeTags();
    },
  ],
];

/** Continue from those above. */
const CLICKHOUSE_STATES: typeof STATES = [
  ["every day that is over is in ClickHouse", () => copyToClickHouse()],
  [
    "clicks came late, too late for ClickHouse",
    () => addClicks(stage, world, { isolateId: "00c0ffee00000004", clicks: atSameDensity(150) }),
  ],
  [
    "every fourth day of it is not sealed",
    async () => {
      await copyToClickHouse();
      await stage.client.query(
        "UPDATE clickhouse_days SET sealed_clicks = NULL WHERE extract(day FROM day)::int % 20 = 0",
      );
    },
  ],
  ["a duplicate and a missing click are planted in every day of it", () => plantFaults()],
];

async function renameTag(from: string, to: string): Promise<void> {
  const editor = await stage.addKey(workspace, ["links:write"]);
  const { body } = await callApi(stage, `PATCH /api/v1/tags/${from}`, { key: editor, body: { name: to } });
  expect(body).toMatchObject({ name: to, links: 2 });
  world.links.splice(
    0,
    world.links.length,
    ...world.links.map((link) => ({ ...link, tags: link.tags.map((tag) => (tag === from ? to : tag)) })),
  );
}

async function copyToClickHouse(): Promise<void> {
  for (let run = 0; run < 2; run += 1) {
    await stage.client.query("UPDATE clickhouse_days SET due_at = now()");
    await clickHouse?.copy(stage.client);
  }
}

async function plantFaults(): Promise<void> {
  await clickHouse?.execute("ALTER TABLE clicks MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1");
  await clickHouse?.execute(
    "INSERT INTO clicks SELECT * FROM clicks ORDER BY event_id LIMIT 1 BY toDate(clicked_at)",
  );
  await clickHouse?.execute(
    `DELETE FROM clicks WHERE event_id IN (
       SELECT event_id FROM clicks ORDER BY event_id DESC LIMIT 1 BY toDate(clicked_at))`,
  );
}

const transactions = () =>
  createNeonTransactions({ databaseUrl: stage.databaseUrl, sqlEndpoint: stage.endpoint.url });

async function makeDays(isWanted: (day: number) => boolean, of = { id: workspace.id, world }): Promise<void> {
  const days = new Set(of.world.rows.map(({ clickedAtMs }) => Math.floor(clickedAtMs / DAY_MS)));
  const daysMs = [...days].filter(isWanted).map((day) => day * DAY_MS);
  await makeDaysOf({ stage, workspaceId: of.id }, daysMs, 8);
}

async function makeTags(): Promise<void> {
  await stage.client.query("UPDATE work SET due_at = now() WHERE kind = 'tags'");
  await runWork(30_000, {
    handlers: { tags: tagsHandler(transactions()) },
    runTransaction: transactions(),
    newLeaseId: () => crypto.randomUUID(),
    nowMs: Date.now,
    onFailure: (_item, error) => expect(error).toBeNull(),
  });
  const { rows } = await stage.client.query("SELECT FROM work WHERE kind = 'tags'");
  expect(rows).toEqual([]);
}

it.skipIf(!HAS_CLICKHOUSE)(`days in ClickHouse are among the states${CLICKHOUSE_HINT}`, () => {
  expect(clickHouse?.url).toMatch(/^http/);
});

describe.each([...STATES, ...(HAS_CLICKHOUSE ? CLICKHOUSE_STATES : [])])(
  "totals, series, breakdowns and events, if %s,",
  (_state, bringAbout) => {
    beforeAll(bringAbout, 120_000);

    it(
      "are what the clicks say, for any range, zone, dimension and filters",
      { timeout: 120_000 },
      async () => {
        await fc.assert(
          fc.asyncProperty(aQuestion(), async ({ edges, filters, dimension, zone, wanted, visitors }) => {
            const [fromMs = 0, toMs = 0] = edges.toSorted((a, b) => a - b);
            const interval = wanted === "hour" && toMs - fromMs > 30 * DAY_MS ? "day" : wanted;
            const withClass = filters.some((filter) => filter.dimension === "class");
            const rowsIn = (span: { readonly fromMs: number; readonly toMs: number }) =>
              matchingRows(world, { ...span, filters: withClass ? filters : [...filters, HUMANS] });
            const rows = rowsIn({ fromMs, toMs });
            const unique = (of: typeof rows) => (visitors ? countVisitors(of) : null);
            const parameters = toParameters(fromMs, toMs, filters);
            parameters.set("timeZone", zone);
            const counted = withParameter(parameters, "visitors", String(visitors));

            const totals = await ask<Counts>("totals", counted);
            expect([totals.clicks, totals.visitors]).toEqual([rows.length, unique(rows)]);

            const { current, previous } = await ask<Comparison>("compare", counted);
            const { from, to } = previous.range;
            const before = rowsIn({ fromMs: Date.parse(from), toMs: Date.parse(to) });
            expect([current.clicks, previous.clicks]).toEqual([rows.length, before.length]);
            expect([current.visitors, previous.visitors]).toEqual([unique(rows), unique(before)]);

            const series = await ask<Series>("timeseries", withParameter(counted, "interval", interval));
            expect(sum(series.points)).toBe(rows.length);
            const starts = series.points.map(({ at }) => Date.parse(at));
            const inBucket = starts.map((startMs, index) =>
              rows.filter(
                (row) => row.clickedAtMs >= startMs && row.clickedAtMs < (starts[index + 1] ?? toMs),
              ),
            );
            expect(series.points.map((point) => [point.clicks, point.visitors])).toEqual(
              inBucket.map((bucket) => [bucket.length, unique(bucket)]),
            );

            const all = withParameter(withParameter(counted, "dimension", dimension), "limit", "10000");
            const breakdown = await ask<Breakdown>("breakdown", all);
            const expected = countBy(rows.flatMap((row) => valuesOf(world, row, dimension)));
            expect(new Map(breakdown.values.map(({ value, clicks }) => [value, clicks]))).toEqual(expected);
            const ofValue = (value: string | null) =>
              rows.filter((row) => valuesOf(world, row, dimension).includes(value));
            expect(breakdown.values.map((one) => [one.value, one.visitors])).toEqual(
              breakdown.values.map(({ value }) => [value, unique(ofValue(value))]),
            );
            expect(breakdown.total).toBe(rows.length);
            expect(breakdown.other).toEqual({ clicks: 0, values: 0 });

            const lines = await ask<Lines>(
              "lines",
              new URLSearchParams([...parameters, ["dimension", dimension], ["interval", interval]]),
            );
            const countPoints = (values: readonly (string | null)[]) =>
              inBucket.map(
                (bucket) =>
                  bucket
                    .flatMap((row) => valuesOf(world, row, dimension))
                    .filter((value) => values.includes(value)).length,
              );
            const drawn = lines.lines.map(({ value }) => value);
            expect(drawn).toEqual(breakdown.values.slice(0, 5).map(({ value }) => value));
            expect(lines.lines.map(({ points }) => points)).toEqual(
              drawn.map((value) => countPoints([value])),
            );
            expect(lines.other.points).toEqual(
              countPoints([...expected.keys()].filter((value) => !drawn.includes(value))),
            );
            expect(lines.starts.map(Date.parse)).toEqual(starts);

            const events = await ask<Events>("events", withParameter(parameters, "limit", "100"));
            const newest = rows
              .toSorted((a, b) => b.clickedAtMs - a.clickedAtMs || (a.eventId < b.eventId ? 1 : -1))
              .slice(0, 100);
            expect(events.data.map(({ id }) => id)).toEqual(
              newest.map(({ eventId }) => toPublicClickId(eventId)),
            );
          }),
          runs(20),
        );
      },
    );

    it.each(["link", "device", "rule"])("match the clicks of every tag, by %s", async (dimension) => {
      for (const tag of new Set(world.links.flatMap(({ tags }) => tags))) {
        const ofTag: WorldFilter = { dimension: "tag", values: [tag], isNot: false };
        const rows = matchingRows(world, { fromMs: FIRST_MS, toMs: LAST_MS, filters: [ofTag, HUMANS] });
        const parameters = withParameter(toParameters(FIRST_MS, LAST_MS, [ofTag]), "dimension", dimension);
        const { values } = await ask<Breakdown>("breakdown", parameters);
        expect([tag, new Map(values.map(({ value, clicks }) => [value, clicks]))]).toEqual([
          tag,
          countBy(rows.flatMap((row) => valuesOf(world, row, dimension))),
        ]);
      }
    });

    it("match the clicks of every day in each tag's line, in a zone whose days are not UTC's", async () => {
      const query = toParameters(FIRST_MS, LAST_MS, []);
      const zone = {
        timeZone: "Asia/Kathmandu",
        interval: "day",
        dimension: "tag",
        class: "all",
        limit: "3",
      };
      const asked = new URLSearchParams([...query, ...Object.entries(zone)]);
      const { starts, lines, other } = await ask<Lines>("lines", asked);
      const valuesOn = starts.map((at, index) => {
        const toMs = Date.parse(starts[index + 1] ?? new Date(LAST_MS).toISOString());
        const rows = matchingRows(world, { fromMs: Math.max(FIRST_MS, Date.parse(at)), toMs, filters: [] });
        return rows.flatMap((row) => valuesOf(world, row, "tag"));
      });
      const countEach = (isCounted: (tag: string | null) => boolean) =>
        valuesOn.map((values) => values.filter(isCounted).length);
      expect(lines.map(({ points }) => points)).toEqual(
        lines.map(({ value }) => countEach((tag) => tag === value)),
      );
      const listed = lines.map(({ value }) => value);
      expect(other.points).toEqual(countEach((tag) => !listed.includes(tag)));
    });

    it("match the clicks in every list of an overview", { timeout: 120_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(aScreen(), async ({ edges, filters, lists, facets }) => {
          const [fromMs = 0, toMs = 0] = edges.toSorted((a, b) => a - b);
          const screen = await ask<Screen>(
            "overview",
            toScreen(toParameters(fromMs, toMs, filters), lists, facets),
          );
          const expectCounts = (found: Breakdown | undefined, dimension: string, ofList: typeof filters) => {
            const rows = matchingRows(world, { fromMs, toMs, filters: ofList });
            const values = new Map(found?.values.map(({ value, clicks }) => [value, clicks]));
            const expected = countBy(rows.flatMap((row) => valuesOf(world, row, dimension)));
            expect([dimension, found?.total, values]).toEqual([dimension, rows.length, expected]);
          };
          const all = filters.some(({ dimension }) => dimension === "class") ? filters : [...filters, HUMANS];
          expect(screen.totals.clicks).toBe(sum(screen.series.points));
          expect(screen.totals.clicks).toBe(matchingRows(world, { fromMs, toMs, filters: all }).length);
          for (const [index, dimension] of lists.entries()) {
            expectCounts(screen.lists[index], dimension, all);
          }
          for (const [index, dimension] of facets.entries()) {
            const others = all.filter((filter) => filter.dimension !== dimension);
            expectCounts(screen.facets[index], dimension, others);
          }
        }),
        runs(15),
      );
    });

    it("sum up the rest of a breakdown in `other`", async () => {
      const range = toParameters(FIRST_MS, LAST_MS, []);
      const top = await ask<Breakdown>(
        "breakdown",
        withParameter(withParameter(range, "dimension", "country"), "limit", "2"),
      );
      expect(top.values.length).toBe(2);
      expect(top.other.values).toBe(2);
      expect(sum(top.values) + top.other.clicks).toBe(top.total);
    });

    it("list every event once, page by page and as CSV", async () => {
      const range = toParameters(Date.UTC(2026, 9, 1), Date.UTC(2026, 10, 20), []);
      const ids: string[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const page: Events = await ask<Events>(
          "events",
          cursor === "" ? range : withParameter(range, "cursor", cursor),
        );
        ids.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      const rows = matchingRows(world, {
        fromMs: Date.UTC(2026, 9, 1),
        toMs: Date.UTC(2026, 10, 20),
        filters: [HUMANS],
      });
      expect(new Set(ids)).toEqual(new Set(rows.map(({ eventId }) => toPublicClickId(eventId))));
      expect(ids.length).toBe(rows.length);
      const csv = await stage.app.request(`/api/v1/analytics/events.csv?${range.toString()}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(csv.headers.get("content-type")).toContain("text/csv");
      const lines = (await csv.text()).trimEnd().split("\r\n");
      expect(lines[0]).toContain("id,at,link,domain");
      expect(lines.slice(1).map((line) => line.slice(0, 36))).toEqual(ids);
      expect(lines.some((line) => line.includes(",'=1+1,"))).toBe(true);
    });
  },
);

function countBy(values: readonly (string | null)[]): ReadonlyMap<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

/** Local time in the zone, independent of the API's arithmetic. */
function createLocalDate(timeZone: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  return (atMs) => format.format(atMs);
}

describe("days", () => {
  /** Clicks of a whole year, in another workspace. Made after the states above, which would copy it to ClickHouse day by day. */
  let year: World;
  let yearKey: string;

  beforeAll(async () => {
    const other = await stage.addWorkspace();
    yearKey = await stage.addKey(other, ["analytics:read"]);
    year = await fillWorld(stage, other, "00c0ffee00000002", YEAR_FROM_MS);
  });

  it.each([
    ["Asia/Kathmandu", "2026-02-20", "2026-12-04"],
    ["Europe/Berlin", "2026-03-20", "2026-04-05"],
    ["Europe/Berlin", "2026-10-20", "2026-10-30"],
    ["America/New_York", "2026-03-01", "2026-11-10"],
    ["Australia/Lord_Howe", "2026-03-25", "2026-10-10"],
    ["America/Havana", "2026-03-01", "2026-11-10"],
  ])("of %s from %s to %s hold the clicks of that date", async (timeZone, from, to) => {
    const query = { timeZone, from, to, interval: "day", class: "all" };
    const localDate = createLocalDate(timeZone);
    const series = await ask<Series>("timeseries", query, yearKey);
    const expected = countBy(
      year.rows.map(({ clickedAtMs }) => localDate(clickedAtMs)).filter((date) => date >= from && date <= to),
    );
    const counted = series.points.map(({ at, clicks }) => [localDate(Date.parse(at)), clicks] as const);
    expect(new Map(counted.filter(([, clicks]) => clicks > 0))).toEqual(expected);
    expect(counted[0]?.[0]).toBe(from);
    expect(counted.at(-1)?.[0]).toBe(to);
    expect(new Set(counted.map(([date]) => date)).size).toBe(counted.length);
  });

  it("start at the zone's midnight and are 25 and 23 hours long when clocks change", async () => {
    const berlin = { timeZone: "Europe/Berlin", interval: "hour" };
    const autumn = await ask<Series>("timeseries", { ...berlin, from: "2026-10-25", to: "2026-10-25" });
    const spring = await ask<Series>("timeseries", { ...berlin, from: "2026-03-29", to: "2026-03-29" });
    expect([autumn.points.length, spring.points.length]).toEqual([25, 23]);
    expect(autumn.points[0]?.at).toBe("2026-10-24T22:00:00.000Z");
    const kathmandu = { timeZone: "Asia/Kathmandu", from: "2026-06-01", to: "2026-06-02", interval: "day" };
    const days = await ask<Series>("timeseries", kathmandu);
    expect(days.points.map(({ at }) => at)).toEqual(["2026-05-31T18:15:00.000Z", "2026-06-01T18:15:00.000Z"]);
  });

  it.each([
    [{ from: "2026-06-01T00:00:00Z", to: "2026-06-01T06:00:00Z" }, "15m", 24],
    [{ from: "2026-06-01", to: "2026-06-02" }, "hour", 48],
    [{ from: "2026-06-01", to: "2026-06-30" }, "day", 30],
    [{ from: "2026-01-01", to: "2026-12-31" }, "week", 53],
    [{ from: "2020-01-01", to: "2026-12-31" }, "month", 84],
    [{ from: "2005-01-01", to: "2026-12-31" }, "year", 22],
  ])("and other buckets are chosen by the range: %j in %s", async (range, interval, points) => {
    const series = await ask<Series>("timeseries", range);
    expect([series.interval, series.points.length]).toEqual([interval, points]);
  });
});

describe("compare", () => {
  it.each([
    [{ from: "2026-10-01", to: "2026-10-31" }, "2026-08-31T22:00:00.000Z", "2026-09-30T22:00:00.000Z"],
    [{ from: "2026-10-20", to: "2026-10-26" }, "2026-10-12T22:00:00.000Z", "2026-10-19T22:00:00.000Z"],
    [
      { from: "2026-10-20T06:30:00Z", to: "2026-10-20T08:00:00Z" },
      "2026-10-20T05:00:00.000Z",
      "2026-10-20T06:30:00.000Z",
    ],
  ])("puts %j beside its predecessor", async (range, from, to) => {
    const answer = await ask<Comparison>("compare", { ...range, timeZone: "Europe/Berlin" });
    expect(answer.previous.range).toMatchObject({ from, to });
    const rows = matchingRows(world, { fromMs: Date.parse(from), toMs: Date.parse(to), filters: [HUMANS] });
    expect(answer.previous.clicks).toBe(rows.length);
  });
});

describe("values", () => {
  it("finds values that contain the text, in any case, most clicks first", async () => {
    const range = Object.fromEntries(toParameters(FIRST_MS, LAST_MS, []));
    const found = await ask<{ data: Breakdown["values"] }>("values", {
      ...range,
      dimension: "city",
      search: "ü",
    });
    expect(found.data.length).toBeGreaterThan(1);
    expect(found.data.filter(({ value }) => value?.endsWith("/Zürich") !== true)).toEqual([]);
    const links = await ask<{ data: Breakdown["values"] }>("values", {
      ...range,
      dimension: "link",
      search: workspace.host.toUpperCase(),
    });
    expect(new Set(links.data.map(({ value }) => value))).toEqual(
      new Set(world.links.filter(({ host }) => host === workspace.host).map(publicLink)),
    );
  });
});

describe("places and destinations", () => {
  const range = Object.fromEntries(toParameters(FIRST_MS, LAST_MS, []));
  const of = (parameters: Record<string, string>) => ask<Breakdown>("breakdown", { ...range, ...parameters });

  it("of the same name in two regions or countries are two places, and their name means both", async () => {
    const all = await of({ dimension: "city", limit: "100" });
    const named = all.values.filter(({ value }) => value?.endsWith("/Zürich"));
    expect(named.map(({ value }) => value)).toEqual(expect.arrayContaining(["CH-ZH/Zürich", "DE-BE/Zürich"]));
    expect((await of({ dimension: "city", city: "Zürich", limit: "100" })).values).toEqual(named);
    const [first] = named;
    expect((await of({ dimension: "region", city: first?.value ?? "" })).total).toBe(first?.clicks);
  });

  it("of clicks on a link that was edited are those of the version that was clicked", async () => {
    const [link] = world.links;
    const { values } = await of({
      dimension: "destination",
      link: publicLink(link),
      class: "all",
      limit: "100",
    });
    const clicksOf = (version: number) =>
      world.rows.filter((row) => row.linkId === link?.id && row.linkVersion === version && !row.destination)
        .length;
    const before = values.find(({ value }) => value === link?.destinations[1]);
    const today = values.find(({ value }) => value === link?.destinations[2]);
    const unknown = values.find(({ value }) => value === null);
    const chosen = world.rows.filter(
      (row) => row.linkId === link?.id && row.destination === link?.destinations[1],
    ).length;
    expect([before?.clicks, today?.clicks, unknown?.clicks]).toEqual([
      chosen + clicksOf(2),
      clicksOf(3),
      clicksOf(1),
    ]);
    expect(clicksOf(2) * clicksOf(3) * clicksOf(1)).toBeGreaterThan(0);
  });
});

describe("the overview", () => {
  it("has the answers of the single endpoints, with one request to the database", async () => {
    const parameters = { from: "2026-09-20", to: "2026-11-20", timeZone: "Asia/Kathmandu" };
    const query = new URLSearchParams({ ...parameters, "device.not": "phone" });
    query.append("country", "CH");
    query.append("country", "");
    let requests = 0;
    stage.endpoint.setFault(({ statements }) => {
      requests += statements.some(({ query: text }) => text.includes("click_")) ? 1 : 0;
      return null;
    });
    const asked = toScreen(query, ["link", "tag", "city"], ["country", "class"]);
    const screen = await ask<Screen>("overview", withParameter(asked, "visitors", "true"));
    stage.endpoint.setFault(null);
    expect(requests).toBe(1);
    const { totals, series, lists, facets, range } = screen;
    expect({ ...totals, range }).toEqual(await ask("totals", withParameter(query, "visitors", "true")));
    expect({ ...series, range }).toEqual(await ask("timeseries", query));
    for (const [index, dimension] of ["link", "tag", "city"].entries()) {
      expect({ ...lists[index], range }).toEqual(
        await ask("breakdown", withParameter(withParameter(query, "dimension", dimension), "limit", "100")),
      );
    }
    const [countries, classes] = facets;
    expect(countries?.values.map(({ value }) => value).toSorted()).toEqual(
      [..."CH DE US".split(" "), null].toSorted(),
    );
    expect(classes?.values.map(({ value }) => value).toSorted()).toEqual(["bot", "human", "preview"]);
  });
});

describe("another workspace's data", () => {
  it("is in no answer, even if its links and domains are in the filters", async () => {
    const stranger = await stage.addKey(await stage.addWorkspace(), ["admin"]);
    const range = toParameters(FIRST_MS, LAST_MS, []);
    range.set("class", "all");
    for (const filter of [
      null,
      ["link", publicLink(world.links[0])],
      ["domain", workspace.host],
      ["tag", "letter"],
    ] as const) {
      const query = filter === null ? range : withParameter(range, filter[0], filter[1]);
      for (const path of [
        "totals?",
        "timeseries?",
        "compare?",
        "breakdown?dimension=link&",
        "breakdown?dimension=tag&",
      ]) {
        const answer = await callApi(stage, `GET /api/v1/analytics/${path}${query.toString()}`, {
          key: stranger,
        });
        expect([path, query.toString(), answer.status, answer.body]).toMatchObject([
          path,
          query.toString(),
          200,
          {},
        ]);
        expect(JSON.stringify(answer.body)).not.toMatch(/"(clicks|total|visitors)":[1-9]/);
      }
      for (const path of ["values?dimension=country&", "events?"]) {
        const answer = await callApi<Events>(stage, `GET /api/v1/analytics/${path}${query.toString()}`, {
          key: stranger,
        });
        expect(answer.body.data).toEqual([]);
      }
    }
  });
});

describe("a question that can't be answered", () => {
  it.each([
    ["from=2026-02-30", "from"],
    ["from=yesterday", "from"],
    ["from=2026-11-02&to=2026-11-01", "to"],
    ["to=2026-11-01", "from"],
    ["period=today&from=2026-11-01", "period"],
    ["timeZone=Mars/Olympus", "timeZone"],
    ["class=robot", "class"],
    ["class.not=all", "class"],
    ["link=lnk_1", "link"],
    ["contry=CH", "contry"],
    ["from=1812-01-01&to=1813-01-01", "from"],
  ])("%s is refused with the name of its field", async (query, path) => {
    const answer = await callApi<Problem>(stage, `GET /api/v1/analytics/totals?${query}`, { key });
    expect([answer.status, answer.body.code]).toEqual([422, "invalid"]);
    expect(answer.body.errors.map((error) => error.path)).toEqual([path]);
  });

  it("with too many points is refused, and the answer says which interval to use", async () => {
    const answer = await callApi<Problem>(
      stage,
      "GET /api/v1/analytics/timeseries?interval=15m&from=2026-01-01&to=2026-12-31",
      { key },
    );
    expect(answer).toMatchObject({ status: 422, body: { code: "query_too_wide" } });
    expect(answer.body.errors[0]?.message).toContain("use week or longer");
  });

  it.each([
    ["click_rollups", "totals?", ["from", "link"]],
    ["click_events", "breakdown?dimension=city&visitors=true&", ["visitors", "from"]],
    ["cube_visitors", "compare?visitors=true&", ["visitors", "from"]],
  ])("in the time given is refused, and told how to narrow it: %s, %s", async (table, path, narrowed) => {
    const database = stage.openAnotherDatabase({ analyticsTimeoutMs: 200 });
    await stage.client.query("BEGIN");
    await stage.client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const query = `from=2026-01-01&to=2026-12-31&link=${publicLink(world.links[0])}`;
    const asked = { app: stage.appWith({}, { database }) };
    const answer = await callApi<Problem>(asked, `GET /api/v1/analytics/${path}${query}`, { key });
    await stage.client.query("ROLLBACK");
    expect(answer).toMatchObject({ status: 422, body: { code: "query_too_wide" } });
    expect(answer.body.errors.map((error) => error.path)).toEqual(narrowed);
  });
});

/** Runs last, because it removes clicks. */
describe("after retention has removed single clicks", () => {
  /** These days were pre-aggregated before; as if the others never had been. */
  const MADE_MS = [26, 27, 28, 29, 30, 31].map((day) => Date.UTC(2026, 2, day));
  const [FIRST_MADE_MS = 0] = MADE_MS;
  const END_MS = FIRST_MADE_MS + MADE_MS.length * DAY_MS;
  const KEPT_FROM_MS = Date.UTC(2026, 5, 1);
  const UNTIL_MS = Date.UTC(2026, 8, 1);
  /** A day in Kathmandu starts at 18:15 UTC of the previous day. */
  const LOCAL = [FIRST_MADE_MS + 18.25 * HOUR_MS, END_MS - 5.75 * HOUR_MS] as const;

  let own: World;
  let ownKey: string;

  beforeAll(async () => {
    const { id, ...other } = await stage.addWorkspace();
    ownKey = await stage.addKey({ id, ...other }, ["analytics:read"]);
    own = await fillWorld(stage, { id, ...other }, "00c0ffee00000004", YEAR_FROM_MS);
    await addClicks(stage, own, {
      isolateId: "00c0ffee00000005",
      clicks: 900,
      fromMs: FIRST_MADE_MS,
      toMs: END_MS,
      visitorsADay: 40,
    });
    await makeDays((day) => MADE_MS.includes(day * DAY_MS), { id, world: own });
    await stage.client.query("DELETE FROM work");
    const settings = { databaseUrl: stage.databaseUrl, sqlEndpoint: stage.endpoint.url };
    await dropOldClicks(createNeonClient(settings), { beforeMs: KEPT_FROM_MS, timeoutMs: 30_000 });
  }, 60_000);

  type Told = { readonly range: { readonly complete: boolean } };
  type Span = readonly [fromMs: number, toMs: number];

  const askOwn = <Body>(name: string, [fromMs, toMs]: Span, filters: readonly WorldFilter[], more = {}) => {
    const isOfAll = filters.every(({ dimension }) => dimension !== "class");
    const options = { ...(isOfAll ? { class: "all" } : {}), timeZone: "Asia/Kathmandu", ...more };
    const asked = [...toParameters(fromMs, toMs, filters), ...Object.entries(options)];
    return ask<Body & Told>(name, new URLSearchParams(asked), ownKey);
  };
  const rowsOf = ([fromMs, toMs]: Span, filters: readonly WorldFilter[]) =>
    matchingRows(own, { fromMs, toMs, filters });
  const oneOf = (dimension: string, ...values: string[]): WorldFilter => ({
    dimension,
    values,
    isNot: false,
  });
  const linksOf = (count: number) => oneOf("link", ...own.links.slice(0, count).map(publicLink));

  it.each<[string, Span, () => readonly WorldFilter[], boolean]>([
    ["the workspace", [Date.UTC(2026, 2, 1), UNTIL_MS], () => [], true],
    ["a device on pre-aggregated days", [FIRST_MADE_MS, END_MS], () => [oneOf("device", "phone")], true],
    [
      "a device on days whose clicks are kept",
      [KEPT_FROM_MS, UNTIL_MS],
      () => [oneOf("device", "phone")],
      true,
    ],
    ["a device on all days", [FIRST_MADE_MS, UNTIL_MS], () => [oneOf("device", "phone")], false],
    [
      "a tag, before and after its links changed, by device",
      [FIRST_MADE_MS, END_MS],
      () => [oneOf("tag", "mail"), oneOf("device", "phone")],
      true,
    ],
  ])(
    "clicks of %s are counted as far as they are known, and the answer says whether all are",
    async (_what, span, filtersOf, complete) => {
      for (const tags of [
        [["mail"], ["mail"], [], []],
        [["mail"], [], ["mail"], []],
      ]) {
        await retag(stage, own, tags);
        const { clicks, range } = await askOwn<Counts>("totals", span, filtersOf());
        const known = rowsOf(span, filtersOf()).filter(
          ({ clickedAtMs }) =>
            complete ||
            clickedAtMs >= KEPT_FROM_MS ||
            MADE_MS.includes(Math.floor(clickedAtMs / DAY_MS) * DAY_MS),
        );
        expect([range.complete, clicks]).toEqual([complete, known.length]);
      }
    },
  );

  it.each<[string, () => readonly WorldFilter[]]>([
    ["the workspace", () => []],
    ["a country", () => [oneOf("country", "CH")]],
    ["a country without clicks", () => [oneOf("country", "AQ")]],
    ["a link", () => [linksOf(1)]],
  ])("visitors of %s are exact and complete on pre-aggregated days, in any zone", async (_what, placeOf) => {
    for (const filters of [placeOf(), [...placeOf(), HUMANS]]) {
      const visitors = { visitors: "true" };
      const totals = await askOwn<Counts>("totals", LOCAL, filters, visitors);
      expect([totals.visitors, totals.range.complete]).toEqual([countVisitors(rowsOf(LOCAL, filters)), true]);
      const { points, range } = await askOwn<Series>("timeseries", LOCAL, filters, visitors);
      const ofDay = (fromMs: number) => countVisitors(rowsOf([fromMs, fromMs + DAY_MS], filters));
      expect(points.map((point) => point.visitors)).toEqual(points.map(({ at }) => ofDay(Date.parse(at))));
      expect(range.complete).toBe(true);
    }
  });

  it("visitors of a workspace by country are, too", async () => {
    const more = { visitors: "true", dimension: "country" };
    const { values, range } = await askOwn<Breakdown>("breakdown", LOCAL, [HUMANS], more);
    const ofCountry = (value: string | null) =>
      countVisitors(rowsOf(LOCAL, [HUMANS, { dimension: "country", values: [value], isNot: false }]));
    expect(values.map(({ visitors }) => visitors)).toEqual(values.map(({ value }) => ofCountry(value)));
    expect([values.length, range.complete]).toEqual([4, true]);
  });

  it.each<[string, Span, () => readonly WorldFilter[]]>([
    ["an hour of a day", [FIRST_MADE_MS + 30 * HOUR_MS, FIRST_MADE_MS + 31 * HOUR_MS], () => []],
    ["a range that begins at an odd minute", [LOCAL[0] + 60_000, LOCAL[1]], () => []],
    ["two links", LOCAL, () => [linksOf(2)]],
    ["bots", LOCAL, () => [oneOf("class", "bot")]],
    ["two countries", LOCAL, () => [oneOf("country", "CH", "DE")]],
  ])("visitors of %s need the clicks, and the answer says so", async (_what, span, filtersOf) => {
    const visitors = { visitors: "true" };
    expect((await askOwn<Counts>("totals", span, filtersOf(), visitors)).range.complete).toBe(false);
    const kept = [KEPT_FROM_MS, KEPT_FROM_MS + 40 * DAY_MS] as const;
    expect((await askOwn<Counts>("totals", kept, filtersOf(), visitors)).range.complete).toBe(true);
  });

  it.each<[string, Span, boolean]>([
    ["of pre-aggregated days, which have numbers but no clicks,", [FIRST_MADE_MS, END_MS], false],
    ["that begins before the first click that is kept", [KEPT_FROM_MS - DAY_MS, UNTIL_MS], false],
    ["of days whose clicks are kept", [KEPT_FROM_MS, UNTIL_MS], true],
    ["of days before the first click", [Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1)], true],
  ])("every page of a list %s says whether it is complete", async (_what, span, complete) => {
    const first = await askOwn<Events>("events", span, [], { limit: "5" });
    const cursor = first.nextCursor === null ? {} : { cursor: first.nextCursor };
    const second = await askOwn<Events>("events", span, [], { limit: "5", ...cursor });
    expect([first.range.complete, second.range.complete]).toEqual([complete, complete]);
  });

  it("suggestions say so, too", async () => {
    const suggest = async (fromMs: number) =>
      (await askOwn<object>("values", [fromMs, UNTIL_MS], [], { dimension: "city" })).range.complete;
    expect([await suggest(FIRST_MADE_MS), await suggest(KEPT_FROM_MS)]).toEqual([false, true]);
  });
});
