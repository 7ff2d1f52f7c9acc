/** Every dimension works in every question: in lists, in filters, and in the live stream. */
import { DIMENSIONS } from "@hopline/analytics/dimension";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

describe.each(EXPECTED)("%s", (dimension) => {
  it("can be counted by, suggested, and listed in the overview", async () => {
    const { values } = await ask("breakdown", { dimension, class: "all" });
    expect(values.length).toBeGreaterThan(0);
    await ask("values", { dimension });
    const { lists, facets } = await ask("overview", { lists: dimension, facets: dimension });
    expect([lists.length, facets.length]).toEqual([1, 1]);
  });

  it("can be filtered by everywhere: a value and its negation add up to everything", async () => {
    const everything = await ask("totals", { class: "all" });
    const { values } = await ask("breakdown", { dimension, class: "all" });
    const [first] = values;
    const value = first?.value ?? "";
    const all = dimension === "class" ? {} : { class: "all" };
    const is = { ...all, [dimension]: value };
    const [having, lacking] = [
      await ask("totals", is),
      await ask("totals", { ...all, [`${dimension}.not`]: value }),
    ];
    expect(having.clicks).toBe(first?.clicks);
    expect(having.clicks + lacking.clicks).toBe(everything.clicks);
    for (const name of ["timeseries", "compare", "events"]) {
      await ask(name, is);
    }
    const query = new URLSearchParams(is).toString();
    expect([await openStatus(`events.csv?${query}`), await openStatus(`live?${query}`)]).toEqual([200, 200]);
    expect((await ask("overview", is)).totals.clicks).toBe(first?.clicks);
  });
});

it("documents what the number of visitors means", async () => {
  const document = await (await stage.app.request("/api/openapi.json")).text();
  expect(document).toMatch(
    /For one UTC day it is the number of unique visitors; for a longer range it is the sum over its days.*asked not to be tracked/,
  );
});
