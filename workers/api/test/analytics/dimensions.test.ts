/** Every dimension works in every question: in lists, in filters, and in the live stream. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIMENSIONS } from "@hopline/analytics/dimension";
import { fillWorld, FIRST_MS, LAST_MS } from "./analytics-world.ts";
import { overviewOf } from "./overview-query.ts";
import { callApi } from "../call-api.ts";
import { openStage, type Stage } from "../stage.ts";

/** All dimensions, listed by hand. */
const EXPECTED = [
  "link",
  "domain",
  "tag",
  "rule",
  "variant",
  "destination",
  "source",
  "referrer",
  "country",
  "region",
  "city",
  "continent",
  "browser",
  "os",
  "device",
  "language",
  "colo",
  "class",
  "utmSource",
  "utmMedium",
  "utmCampaign",
  "utmTerm",
  "utmContent",
];

const RANGE = { from: new Date(FIRST_MS).toISOString(), to: new Date(LAST_MS).toISOString() };

let stage: Stage;
let key: string;

beforeAll(async () => {
  stage = await openStage();
  const workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["analytics:read"]);
  await fillWorld(stage, workspace, "00c0ffee00000003");
});

afterAll(() => stage.close());

async function ask<Body>(name: string, parameters: Record<string, string>): Promise<Body> {
  const query = new URLSearchParams({ ...RANGE, ...parameters }).toString();
  const { status, body } = await callApi<Body>(stage, `GET /api/v1/analytics/${name}?${query}`, { key });
  expect([name, query, status]).toEqual([name, query, 200]);
  return body;
}

async function openStatus(path: string): Promise<number> {
  const response = await stage.app.request(`/api/v1/analytics/${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await response.text();
  return response.status;
}

type Total = { readonly clicks: number };
type Listed = { readonly values: readonly { readonly value: string | null; readonly clicks: number }[] };

it("are all listed here", () => {
  expect([...DIMENSIONS].toSorted()).toEqual(EXPECTED.toSorted());
});

describe.each(EXPECTED)("%s", (dimension) => {
  it("can be counted by, suggested, and listed in the overview", async () => {
    const { values } = await ask<Listed>("breakdown", { dimension, class: "all" });
    expect(values.length).toBeGreaterThan(0);
    await ask("values", { dimension });
    const { status, body } = await callApi<{ lists: readonly object[]; facets: readonly object[] }>(
      stage,
      overviewOf({ ...RANGE, lists: [dimension], facets: [dimension] }),
      { key },
    );
    expect([status, body.lists.length, body.facets.length]).toEqual([200, 1, 1]);
  });

  it("can be filtered by everywhere: a value and its negation add up to everything", async () => {
    const everything = await ask<Total>("totals", { class: "all" });
    const { values } = await ask<Listed>("breakdown", { dimension, class: "all" });
    const [first] = values;
    const value = first?.value ?? "";
    const all = dimension === "class" ? {} : { class: "all" };
    const is = { ...all, [dimension]: value };
    const isNot = { ...all, [`${dimension}.not`]: value };
    const [having, lacking] = [await ask<Total>("totals", is), await ask<Total>("totals", isNot)];
    expect(having.clicks).toBe(first?.clicks);
    expect(having.clicks + lacking.clicks).toBe(everything.clicks);
    for (const name of ["timeseries", "compare", "events"]) {
      await ask(name, is);
    }
    const query = new URLSearchParams(is).toString();
    expect([await openStatus(`events.csv?${query}`), await openStatus(`live?${query}`)]).toEqual([200, 200]);
    const filters = {
      ...(dimension === "class" ? {} : { class: { is: ["all"] } }),
      [dimension]: { is: [first?.value] },
    };
    const screen = await callApi<{ readonly totals: Total }>(stage, overviewOf({ ...RANGE, filters }), {
      key,
    });
    expect([screen.status, screen.body.totals.clicks]).toEqual([200, first?.clicks]);
  });
});

it("documents what the number of visitors means", async () => {
  const document = (await (await stage.app.request("/api/openapi.json")).json()) as {
    readonly components: {
      readonly schemas: {
        readonly [name: string]: { readonly properties: Record<string, { description: string }> };
      };
    };
  };
  const { description = "" } = document.components.schemas["ClickCounts"]?.properties["visitors"] ?? {};
  expect(description).toContain("For one UTC day it is the number of unique visitors");
  expect(description).toContain("for a longer range it is the sum over its days");
  expect(description).toContain("asked not to be tracked");
});
