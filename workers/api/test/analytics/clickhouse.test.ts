/** What only ClickHouse can answer, and what happens when it cannot. That its numbers are right: analytics.test.ts. */
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addClicks, matchingRows, openWorld, type World, type WorldFilter } from "./analytics-world.ts";
import { callApi } from "../call-api.ts";
import { openStage, type Stage, type Workspace } from "../stage.ts";
import { openClickHouse, type TestClickHouse } from "../test-clickhouse.ts";

const DAY_MS = 86_400_000;
const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const FROM_MS = TODAY_MS - 20 * DAY_MS;
const KEPT_FROM_MS = TODAY_MS - 7 * DAY_MS;

/** More than the cube has: in Postgres, only single clicks answer. */
const FILTERS: readonly WorldFilter[] = [
  { dimension: "country", values: ["CH", "DE"], isNot: false },
  { dimension: "device", values: ["phone"], isNot: true },
  { dimension: "browser", values: ["Firefox", null], isNot: false },
];
const QUERY = "country=CH&country=DE&device.not=phone&browser=Firefox&browser=&class=all&visitors=true";

type Counts = {
  readonly clicks: number;
  readonly visitors: number;
  readonly range: { readonly complete: boolean };
};
type Breakdown = {
  readonly values: readonly { readonly value: string | null; readonly clicks: number }[];
  readonly other: { readonly clicks: number; readonly values: number };
  readonly total: number;
};

describe.skipIf(!HAS_CLICKHOUSE)(`Days that are in ClickHouse${CLICKHOUSE_HINT}`, () => {
  let clickHouse: TestClickHouse;
  let stage: Stage;
  let workspace: Workspace;
  let key: string;
  let world: World;

  const range = `from=${new Date(FROM_MS).toISOString()}&to=${new Date(Date.now()).toISOString()}`;
  const ask = async <Body>(path: string): Promise<Body> => {
    const { status, body } = await callApi<Body>(stage, `GET /api/v1/analytics/${path}&${range}`, { key });
    expect([path, status]).toEqual([path, 200]);
    return body;
  };
  const matching = (filters = FILTERS) => matchingRows(world, { fromMs: FROM_MS, toMs: Date.now(), filters });
  const expected = () => ({
    clicks: matching().length,
    visitors: new Set(matching().flatMap(({ visitor }) => visitor ?? [])).size,
  });

  beforeAll(async () => {
    if (!HAS_CLICKHOUSE) {
      return;
    }
    clickHouse = await openClickHouse();
    stage = await openStage({ clickHouseUrl: clickHouse.url });
    workspace = await stage.addWorkspace();
    key = await stage.addKey(workspace, ["analytics:read"]);
    world = await openWorld(stage, workspace);
    await addClicks(stage, world, {
      isolateId: "00c0ffee00000001",
      clicks: 800,
      fromMs: FROM_MS,
      toMs: Date.now() - 60_000,
      visitorsADay: 40,
    });
    await clickHouse.copy(stage.client);
    await stage.client.query("UPDATE clickhouse_days SET due_at = now()");
    await clickHouse.copy(stage.client);
    // As retention does it.
    const keptFrom = [new Date(KEPT_FROM_MS).toISOString()];
    await stage.client.query("INSERT INTO event_retention (kept_from) VALUES ($1)", keptFrom);
    await stage.client.query("DELETE FROM click_events WHERE clicked_at < $1", keptFrom);
  }, 120_000);
  afterAll(async () => {
    await stage?.close();
    await clickHouse?.close();
  });

  it("are answered after retention has removed their clicks from Postgres, together with today", async () => {
    const { range: answered, ...counts } = await ask<Counts>(`totals?${QUERY}`);
    expect(counts).toMatchObject(expected());
    expect(answered.complete).toBe(true);
  });

  it.each(["city", "link", "tag"])("add up with today to the largest values, by %s", async (dimension) => {
    const all = await ask<Breakdown>(`breakdown?${QUERY}&dimension=${dimension}&limit=10000`);
    expect(all.total).toBe(matching().length);
    const top = await ask<Breakdown>(`breakdown?${QUERY}&dimension=${dimension}&limit=2`);
    expect(top.values).toEqual(all.values.slice(0, 2));
    expect(top.other.clicks + top.values.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(
      all.values.reduce((sum, { clicks }) => sum + clicks, 0),
    );
    expect(top.other.values).toBe(all.values.length - 2);
  });

  it("can be searched by the text of a value, and of a link's address", async () => {
    type Found = {
      readonly data: readonly { readonly value: string | null; readonly label: string | null }[];
    };
    const search = async (dimension: string, text: string) => {
      const found = await ask<Found>(
        `values?class=all&device.not=phone&dimension=${dimension}&search=${encodeURIComponent(text)}`,
      );
      return found.data;
    };
    const cities = await search("city", "ZÜ");
    expect(cities.length).toBeGreaterThan(0);
    expect(cities.filter(({ value }) => value?.endsWith("/Zürich") !== true)).toEqual([]);
    const [first] = await search("link", "");
    const label = first?.label ?? "";
    expect((await search("link", label.slice(4).toUpperCase())).map((one) => one.label)).toEqual([label]);
  });

  it("are listed click by click", async () => {
    type Page = { readonly data: readonly unknown[]; readonly nextCursor: string | null };
    let seen = 0;
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page = await ask<Page>(
        `events?class=all&limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      seen += page.data.length;
      cursor = page.nextCursor;
    }
    expect(seen).toBe(matching([]).length);
  });

  it("are not answered from ClickHouse once a click came late, so the answer says that it is not complete", async () => {
    await addClicks(stage, world, {
      isolateId: "00c0ffee00000002",
      clicks: 1,
      timesMs: [FROM_MS + DAY_MS],
      visitorsADay: 40,
    });
    expect((await ask<Counts>(`totals?${QUERY}`)).range.complete).toBe(false);
  });

  it("are answered from Postgres when ClickHouse is away", async () => {
    const recent = `from=${new Date(KEPT_FROM_MS).toISOString()}&to=${new Date(Date.now()).toISOString()}`;
    const askRecent = async () =>
      (await callApi<Counts>(stage, `GET /api/v1/analytics/totals?${QUERY}&${recent}`, { key })).body;
    const before = await askRecent();
    await clickHouse.kill();
    expect(await askRecent()).toEqual(before);
    expect(before.range.complete).toBe(true);
  });
});
