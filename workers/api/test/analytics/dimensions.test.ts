/** Every dimension works in every question: in lists, in filters, and in the live stream. */
import { DIMENSIONS } from "@hopline/analytics/dimension";
import { afterAll, beforeAll, expect, it } from "vitest";
import { askAnalytics, fillWorld, FIRST_MS, LAST_MS, toParameters } from "./analytics-world.ts";
import { openStage, type Stage } from "../stage.ts";

/** All dimensions, listed by hand. */
const EXPECTED = [
  ..."link domain tag rule variant destination source referrer country region city continent browser".split(
    " ",
  ),
  ..."os device language colo class utmSource utmMedium utmCampaign utmTerm utmContent".split(" "),
];

let stage: Stage;
let key: string;

beforeAll(async () => {
  stage = await openStage();
  const workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["analytics:read"]);
  await fillWorld(stage, workspace, "00c0ffee00000003");
});

afterAll(() => stage.close());

type Answer = {
  readonly clicks: number;
  readonly values: readonly { readonly value: string | null; readonly clicks: number }[];
  readonly lists: readonly object[];
  readonly facets: readonly object[];
  readonly totals: { readonly clicks: number };
};

const ask = (name: string, parameters: Record<string, string>) =>
  askAnalytics<Answer>(
    { stage, key },
    name,
    new URLSearchParams([...toParameters(FIRST_MS, LAST_MS), ...Object.entries(parameters)]),
  );

async function openStatus(path: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await stage.app.request(`/api/v1/analytics/${path}`, { headers });
  await response.text();
  return response.status;
}

it("are all listed here", () => {
  expect([...DIMENSIONS]).toEqual(EXPECTED);
});

it.each(EXPECTED)(
  "%s can be counted by, suggested, listed and filtered by, everywhere",
  async (dimension) => {
    const all = dimension === "class" ? {} : { class: "all" };
    const everything = await ask("totals", { class: "all" });
    const { values } = await ask("breakdown", { dimension, class: "all" });
    const [first] = values;
    const value = first?.value ?? "";
    const is = { ...all, [dimension]: value };
    const having = await ask("totals", is);
    const lacking = await ask("totals", { ...all, [`${dimension}.not`]: value });
    expect(having.clicks).toBe(first?.clicks);
    expect(having.clicks + lacking.clicks).toBe(everything.clicks);
    for (const name of ["timeseries", "compare", "events"]) {
      await ask(name, is);
    }
    await ask("values", { dimension });
    const screen = await ask("overview", { ...is, lists: dimension, facets: dimension });
    expect([screen.lists.length, screen.facets.length, screen.totals.clicks]).toEqual([1, 1, having.clicks]);
    const query = new URLSearchParams(is).toString();
    expect([await openStatus(`events.csv?${query}`), await openStatus(`live?${query}`)]).toEqual([200, 200]);
  },
);

it("documents what the number of visitors means", async () => {
  const document = await (await stage.app.request("/api/openapi.json")).text();
  expect(document).toMatch(
    /For one UTC day it is the number of unique visitors; for a longer range it is the sum over its days.*asked not to be tracked/,
  );
});
