/** Unique visitors of pre-aggregated days stay when their clicks are gone. That they match the clicks is in analytics.test.ts. */
import { dropOldClicks } from "@hopline/db/ledger/drop-old-clicks";
import { createNeonClient } from "@hopline/db/neon-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  addClicks,
  askAnalytics,
  countVisitors,
  DAY_MS,
  HUMANS,
  makeDaysOf,
  matchingRows,
  openWorld,
  publicLink,
  toParameters,
  type World,
  type WorldFilter,
  type WorldQuestion,
} from "./analytics-world.ts";
import { openStage, type Stage } from "../stage.ts";

const HOUR_MS = 3_600_000;
const DAYS_MS = [26, 27, 28, 29, 30, 31].map((day) => Date.UTC(2026, 2, day));
const [FROM_MS = 0] = DAYS_MS;
const TO_MS = FROM_MS + DAYS_MS.length * DAY_MS;
const KEPT_FROM_MS = TO_MS - DAY_MS;
/** A day in Kathmandu starts at 18:15 UTC of the previous day. */
const ASKED = { fromMs: FROM_MS - 5.75 * HOUR_MS + DAY_MS, toMs: TO_MS - 5.75 * HOUR_MS };

let stage: Stage;
let key: string;
let world: World;

beforeAll(async () => {
  stage = await openStage();
  const workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["analytics:read"]);
  world = await openWorld(stage, workspace);
  const clicks = { fromMs: FROM_MS, toMs: TO_MS, visitorsADay: 40 };
  await addClicks(stage, world, { ...clicks, isolateId: "00c0ffee00000001", clicks: 1_200 });
  const other = await openWorld(stage, await stage.addWorkspace());
  await addClicks(stage, other, { ...clicks, isolateId: "00c0ffee00000002", clicks: 100 });
  await makeDaysOf({ stage, workspaceId: workspace.id }, DAYS_MS, 70);
  await stage.client.query("DELETE FROM work");
  const settings = { databaseUrl: stage.databaseUrl, sqlEndpoint: stage.endpoint.url };
  await dropOldClicks(createNeonClient(settings), { beforeMs: KEPT_FROM_MS, timeoutMs: 30_000 });
}, 120_000);
afterAll(() => stage.close());

type Answer = {
  readonly visitors: number;
  readonly points: readonly { readonly at: string; readonly visitors: number }[];
  readonly values: readonly { readonly value: string | null; readonly visitors: number }[];
  readonly range: { readonly complete: boolean };
};

function ask(name: string, { fromMs, toMs, filters }: WorldQuestion, more = {}): Promise<Answer> {
  const classes = filters.some(({ dimension }) => dimension === "class") ? {} : { class: "all" };
  const asked = toParameters(fromMs, toMs, filters);
  const options = Object.entries({ ...classes, visitors: "true", timeZone: "Asia/Kathmandu", ...more });
  return askAnalytics<Answer>({ stage, key }, name, new URLSearchParams([...asked, ...options]));
}

const count = (question: WorldQuestion): number => countVisitors(matchingRows(world, question));
const oneOf = (dimension: string, ...values: string[]): WorldFilter => ({ dimension, values, isNot: false });
const links = (first: number): WorldFilter => oneOf("link", ...world.links.slice(0, first).map(publicLink));

it.each([
  ["the workspace", () => []],
  ["a country", () => [oneOf("country", "CH")]],
  ["a country without clicks", () => [oneOf("country", "AQ")]],
  ["a link", () => [links(1)]],
])("visitors of %s are exact and complete when the clicks are gone", async (_what, placeOf) => {
  for (const classes of [[], [HUMANS]]) {
    const question = { ...ASKED, filters: [...placeOf(), ...classes] };
    const totals = await ask("totals", question);
    expect([totals.visitors, totals.range.complete]).toEqual([count(question), true]);
    const { points, range } = await ask("timeseries", question);
    const ofDay = (fromMs: number) => count({ ...question, fromMs, toMs: fromMs + DAY_MS });
    expect(points.map(({ visitors }) => visitors)).toEqual(points.map(({ at }) => ofDay(Date.parse(at))));
    expect(range.complete).toBe(true);
  }
});

it("visitors of a workspace by country are, too", async () => {
  for (const filters of [[], [HUMANS]]) {
    const { values, range } = await ask("breakdown", { ...ASKED, filters }, { dimension: "country" });
    const ofCountry = (value: string | null) =>
      count({ ...ASKED, filters: [...filters, { dimension: "country", values: [value], isNot: false }] });
    expect(values.map(({ visitors }) => visitors)).toEqual(values.map(({ value }) => ofCountry(value)));
    expect([values.length, range.complete]).toEqual([4, true]);
  }
});

it.each([
  ["an hour of a day", () => ({ fromMs: FROM_MS + 30 * HOUR_MS, toMs: FROM_MS + 31 * HOUR_MS, filters: [] })],
  ["a range that begins at an odd minute", () => ({ ...ASKED, fromMs: ASKED.fromMs + 60_000, filters: [] })],
  ["two links", () => ({ ...ASKED, filters: [links(2)] })],
  ["bots", () => ({ ...ASKED, filters: [oneOf("class", "bot")] })],
  ["two countries", () => ({ ...ASKED, filters: [oneOf("country", "CH", "DE")] })],
])("visitors of %s need the clicks, and the answer says so", async (_what, questionOf) => {
  const question = questionOf();
  expect((await ask("totals", question)).range.complete).toBe(false);
  const toMs = Math.max(question.toMs, KEPT_FROM_MS + HOUR_MS);
  expect((await ask("totals", { ...question, fromMs: KEPT_FROM_MS, toMs })).range.complete).toBe(true);
});
