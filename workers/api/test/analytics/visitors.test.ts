/** Unique visitors of pre-aggregated days stay when their clicks are gone. That they match the clicks is in analytics.test.ts. */
import { makeDay } from "@hopline/analytics/cube/make-day";
import { dropOldClicks } from "@hopline/db/ledger/drop-old-clicks";
import { createNeonClient, createNeonTransactions } from "@hopline/db/neon-client";
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
async function ask<Body>(name: string, parameters: URLSearchParams): Promise<Body> {
  const answer = await callApi<Body>(stage, `GET /api/v1/analytics/${name}?${parameters.toString()}`, {
    key,
  });
  expect([name, parameters.toString(), answer.status]).toEqual([name, parameters.toString(), 200]);
  return answer.body;
}

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

/** Some of them in slices: visitors are those of the whole day. */
async function makeDays(): Promise<void> {
  const runTransaction = createNeonTransactions({
    databaseUrl: stage.databaseUrl,
    sqlEndpoint: stage.endpoint.url,
  });
  for (let day = 0; day < DAYS; day += 1) {
    const ofDay = { workspaceId: workspace.id, dayMs: FROM_MS + day * DAY_MS };
    const options = { timeoutMs: 30_000, ...(day % 2 === 0 ? {} : { sliceClicks: 70 }) };
    while (!(await makeDay(runTransaction, ofDay, options))) {
      // One slice at a time.
    }
  }
}

describe("visitors of pre-aggregated days", () => {
  /** A day in Kathmandu starts at 18:15 UTC of the previous day. */
  const asked = { fromMs: FROM_MS - 5.75 * HOUR_MS + DAY_MS, toMs: TO_MS - 5.75 * HOUR_MS };
  const keptFromMs = TO_MS - DAY_MS;
  let ofLink: WorldFilter;

  beforeAll(async () => {
    ofLink = { dimension: "link", values: [publicLink(world.links[0])], isNot: false };
    await makeDays();
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
