/** Unique visitors match the clicks in every state of pre-aggregation, and are read from it where possible. */
import { makeDay } from "@hopline/analytics/cube/make-day";
import { dropOldClicks } from "@hopline/db/ledger/drop-old-clicks";
import { createNeonClient, createNeonTransactions } from "@hopline/db/neon-client";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addClicks,
  matchingRows,
  openWorld,
  publicLink,
  type World,
  type WorldFilter,
} from "./analytics-world.ts";
import { callApi } from "../call-api.ts";
import { openStage, type Stage, type Workspace } from "../stage.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Clocks change in Berlin on 29 March, and on Lord Howe, by half an hour, on 4 April. */
const FROM_MS = Date.UTC(2026, 2, 26);
const DAYS = 14;
const TO_MS = FROM_MS + DAYS * DAY_MS;
const CLICKS = 2_800;
const HUMANS: WorldFilter = { dimension: "class", values: ["human"], isNot: false };

let stage: Stage;
let workspace: Workspace;
let key: string;
let world: World;

beforeAll(async () => {
  stage = await openStage();
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["analytics:read"]);
  world = await openWorld(stage, workspace);
  await addClicks(stage, world, clicksIn("00c0ffee00000001", CLICKS));
  const other = await openWorld(stage, await stage.addWorkspace());
  await addClicks(stage, other, clicksIn("00c0ffee00000002", 200));
});
afterAll(() => stage.close());

const clicksIn = (isolateId: string, clicks: number) => ({
  isolateId,
  clicks,
  fromMs: FROM_MS,
  toMs: TO_MS,
  visitorsADay: 40,
});

type Counts = { readonly clicks: number; readonly visitors: number };
type Range = { readonly from: string; readonly to: string; readonly complete: boolean };
type Series = { readonly points: readonly (Counts & { readonly at: string })[] };
type Comparison = {
  readonly current: Counts & { readonly range: Range };
  readonly previous: Counts & { readonly range: Range };
};

async function ask<Body>(name: string, parameters: URLSearchParams): Promise<Body> {
  const answer = await callApi<Body>(stage, `GET /api/v1/analytics/${name}?${parameters.toString()}`, {
    key,
  });
  expect([name, parameters.toString(), answer.status]).toEqual([name, parameters.toString(), 200]);
  return answer.body;
}

/** Midnights of UTC, of +05:45 and of Lord Howe (+11:00, then +10:30), quarters of an hour, and odd instants. */
const anInstant = fc.oneof(
  fc.integer({ min: 0, max: DAYS * DAY_MS }),
  fc.integer({ min: 0, max: DAYS * 96 }).map((quarter) => quarter * 900_000),
  fc
    .record({
      day: fc.integer({ min: 0, max: DAYS - 1 }),
      hours: fc.constantFrom(0, 18.25, 13, 13.5, 22, 23),
    })
    .map(({ day, hours }) => day * DAY_MS + hours * HOUR_MS),
);

const CLASSES: readonly (readonly WorldFilter[])[] = [
  [],
  [HUMANS],
  [{ dimension: "class", values: ["bot"], isNot: false }],
];

/** A workspace, a link or a country, which are pre-aggregated; and other filters, which are not. */
function aPlace(): fc.Arbitrary<readonly WorldFilter[]> {
  const links = world.links.map(publicLink);
  const ofLinks = (values: readonly string[], isNot = false) => ({ dimension: "link", values, isNot });
  const ofCountries = (values: readonly (string | null)[], isNot = false) => ({
    dimension: "country",
    values,
    isNot,
  });
  return fc.oneof(
    fc.constant([]),
    fc.constantFrom(...links).map((link) => [ofLinks([link])]),
    fc.constantFrom("CH", "DE", null, "AQ").map((country) => [ofCountries([country])]),
    fc.constantFrom(
      [ofLinks(links.slice(0, 2))],
      [ofLinks(links.slice(0, 1), true)],
      [ofCountries(["CH", "DE"])],
      [ofCountries(["CH"], true)],
      [ofCountries(["CH"]), ofLinks(links.slice(0, 1))],
      [{ dimension: "device", values: ["phone"], isNot: false }],
    ),
  );
}

const aQuestion = () =>
  fc.record({
    edges: fc.uniqueArray(anInstant, { minLength: 2, maxLength: 2 }),
    place: aPlace(),
    classes: fc.constantFrom(...CLASSES),
    zone: fc.constantFrom("UTC", "Asia/Kathmandu", "Europe/Berlin", "Australia/Lord_Howe"),
    interval: fc.constantFrom("hour", "day", "day", "week", "month"),
  });

type Asked = { readonly filters: readonly WorldFilter[]; readonly fromMs: number; readonly toMs: number };

function toParameters({ filters, fromMs, toMs }: Asked): URLSearchParams {
  const parameters = new URLSearchParams({
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    visitors: "true",
  });
  for (const { dimension, values, isNot } of filters) {
    values.forEach((value) => parameters.append(isNot ? `${dimension}.not` : dimension, value ?? ""));
  }
  if (!filters.some(({ dimension }) => dimension === "class")) {
    parameters.set("class", "all");
  }
  return parameters;
}

type Breakdown = {
  readonly values: readonly (Counts & { readonly value: string | null })[];
  readonly range: Range;
};

async function expectByCountry(asked: Asked): Promise<Breakdown> {
  const parameters = toParameters(asked);
  parameters.set("dimension", "country");
  const breakdown = await ask<Breakdown>("breakdown", parameters);
  expect(breakdown.values.map(({ value, visitors }) => [value, visitors])).toEqual(
    breakdown.values.map(({ value }) => {
      const inside = { dimension: "country", values: [value], isNot: false };
      return [value, countVisitors({ ...asked, filters: [...asked.filters, inside] })];
    }),
  );
  return breakdown;
}

/** The plain model: distinct visitors among the clicks. */
function countVisitors(asked: Asked): number {
  const seen = matchingRows(world, asked).flatMap(({ visitor }) => (visitor === null ? [] : [visitor]));
  return new Set(seen).size;
}

/** Each continues from the previous one. */
const STATES: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["no day is in the cube", () => Promise.resolve()],
  ["some days are in the cube", () => makeDays((day) => day % 3 === 0)],
  ["every day is", () => makeDays(() => true)],
  ["clicks came late", () => addClicks(stage, world, clicksIn("00c0ffee00000003", 6))],
  ["a few days are made again", () => makeDays((day) => day % 2 === 0)],
];

/** Some of them in slices: visitors are those of the whole day. */
async function makeDays(isWanted: (day: number) => boolean): Promise<void> {
  const runTransaction = createNeonTransactions({
    databaseUrl: stage.databaseUrl,
    sqlEndpoint: stage.endpoint.url,
  });
  for (const day of Array.from({ length: DAYS }, (_, index) => index).filter(isWanted)) {
    const ofDay = { workspaceId: workspace.id, dayMs: FROM_MS + day * DAY_MS };
    const options = { timeoutMs: 30_000, ...(day % 2 === 0 ? {} : { sliceClicks: 70 }) };
    while (!(await makeDay(runTransaction, ofDay, options))) {
      // One slice at a time.
    }
  }
}

async function expectVisitors(asked: Asked, { zone, interval }: { zone: string; interval: string }) {
  const parameters = toParameters(asked);
  parameters.set("timeZone", zone);
  const totals = await ask<Counts>("totals", parameters);
  expect(totals).toMatchObject({
    clicks: matchingRows(world, asked).length,
    visitors: countVisitors(asked),
  });

  const compared = await ask<Comparison>("compare", parameters);
  const { from, to } = compared.previous.range;
  expect([compared.current.visitors, compared.previous.visitors]).toEqual([
    totals.visitors,
    countVisitors({ ...asked, fromMs: Date.parse(from), toMs: Date.parse(to) }),
  ]);

  await expectByCountry(asked);

  parameters.set("interval", interval);
  const { points } = await ask<Series>("timeseries", parameters);
  const startsMs = points.map(({ at }) => Date.parse(at));
  expect(points.map(({ visitors }) => visitors)).toEqual(
    startsMs.map((startMs, index) =>
      countVisitors({
        ...asked,
        fromMs: Math.max(startMs, asked.fromMs),
        toMs: Math.min(startsMs[index + 1] ?? asked.toMs, asked.toMs),
      }),
    ),
  );
}

describe.each(STATES)("visitors, if %s,", (_state, bringAbout) => {
  beforeAll(bringAbout, 120_000);

  it(
    "are what the clicks say, in totals, series and comparisons, of any range, zone and place",
    { timeout: 120_000 },
    () =>
      fc.assert(
        fc.asyncProperty(aQuestion(), async ({ edges, place, classes, zone, interval }) => {
          const [fromMs = 0, toMs = 0] = edges.toSorted((a, b) => a - b).map((edge) => FROM_MS + edge);
          await expectVisitors({ fromMs, toMs, filters: [...place, ...classes] }, { zone, interval });
        }),
        runs(60),
      ),
  );
});

/** Runs last, because it removes clicks. */
describe("visitors of pre-aggregated days", () => {
  /** A day in Kathmandu starts at 18:15 UTC of the previous day. */
  const asked = { fromMs: FROM_MS - 5.75 * HOUR_MS + DAY_MS, toMs: TO_MS - 5.75 * HOUR_MS };
  const keptFromMs = TO_MS - DAY_MS;
  let ofLink: WorldFilter;

  beforeAll(async () => {
    ofLink = { dimension: "link", values: [publicLink(world.links[0])], isNot: false };
    await makeDays(() => true);
    await stage.client.query("DELETE FROM work");
    await dropOldClicks(
      createNeonClient({ databaseUrl: stage.databaseUrl, sqlEndpoint: stage.endpoint.url }),
      { beforeMs: keptFromMs, timeoutMs: 30_000 },
    );
  }, 120_000);

  it.each([
    ["the workspace", () => []],
    ["a country", () => [{ dimension: "country", values: ["CH"], isNot: false }]],
    ["a country without clicks", () => [{ dimension: "country", values: ["AQ"], isNot: false }]],
    ["a link", () => [ofLink]],
  ] as const)("of %s are exact and complete when the clicks are gone", async (_what, placeOf) => {
    for (const classes of [[], [HUMANS]]) {
      await expectComplete({ ...asked, filters: [...placeOf(), ...classes] });
    }
  });

  it("are stored by country for a workspace, too", async () => {
    for (const filters of [[], [HUMANS]]) {
      const { values, range } = await expectByCountry({ ...asked, filters });
      expect([values.map(({ value }) => value).toSorted(), range.complete]).toEqual([
        ["CH", "DE", "US", null],
        true,
      ]);
    }
  });

  async function expectComplete(question: Asked): Promise<void> {
    const parameters = toParameters(question);
    parameters.set("timeZone", "Asia/Kathmandu");
    const totals = await ask<Counts & { readonly range: Range }>("totals", parameters);
    expect([totals.visitors, totals.range.complete]).toEqual([countVisitors(question), true]);
    const series = await ask<Series & { readonly range: Range }>("timeseries", parameters);
    expect(series.range.complete).toBe(true);
    expect(series.points.map(({ at, visitors }) => [at, visitors])).toEqual(
      series.points.map(({ at }) => {
        const fromMs = Date.parse(at);
        return [at, countVisitors({ ...question, fromMs, toMs: fromMs + DAY_MS })];
      }),
    );
  }

  it.each([
    [
      "an hour of a day",
      () => ({ fromMs: FROM_MS + 30 * HOUR_MS, toMs: FROM_MS + 31 * HOUR_MS, filters: [] }),
    ],
    [
      "a range that begins at an odd minute",
      () => ({ ...asked, fromMs: asked.fromMs + 60_000, filters: [] }),
    ],
    [
      "two links",
      () => ({ ...asked, filters: [{ ...ofLink, values: world.links.slice(0, 2).map(publicLink) }] }),
    ],
    ["bots", () => ({ ...asked, filters: [{ dimension: "class", values: ["bot"], isNot: false }] })],
    [
      "two countries",
      () => ({ ...asked, filters: [{ dimension: "country", values: ["CH", "DE"], isNot: false }] }),
    ],
  ] as const)("but not of %s, which needs the clicks", async (_what, questionOf) => {
    const { range } = await ask<{ readonly range: Range }>("totals", toParameters(questionOf()));
    expect(range.complete).toBe(false);
    const later = { ...questionOf(), fromMs: keptFromMs };
    const kept = await ask<Counts & { readonly range: Range }>(
      "totals",
      toParameters({ ...later, toMs: Math.max(later.toMs, keptFromMs + HOUR_MS) }),
    );
    expect(kept.range.complete).toBe(true);
  });
});
