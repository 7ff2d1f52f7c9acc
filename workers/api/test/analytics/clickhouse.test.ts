/** What only ClickHouse can answer, and what happens when it cannot. That its numbers are right: analytics.test.ts. */
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  addClicks,
  ALL,
  ask,
  DAY_MS,
  HUMANS,
  isOneOf,
  makeDays,
  matchingRows,
  openWorld,
  toQuery,
  type World,
} from "./analytics-world.ts";
import { expectCounts, expectEvents, type Told } from "./expect-answers.ts";
import { openStage, type Stage } from "../stage.ts";
import { openClickHouse, type TestClickHouse } from "../test-clickhouse.ts";

const NOW_MS = Date.now();
const TODAY_MS = Math.floor(NOW_MS / DAY_MS) * DAY_MS;
const FROM_MS = TODAY_MS - 20 * DAY_MS;
const KEPT_FROM_MS = TODAY_MS - 7 * DAY_MS;

const RANGE = { fromMs: FROM_MS, toMs: NOW_MS };
/** More than the cube has: in Postgres, only single clicks answer. */
const ASKED = {
  ...RANGE,
  filters: [
    ALL,
    { dimension: "country", values: ["CH", "DE"], isNot: false },
    { dimension: "device", values: ["phone"], isNot: true },
    { dimension: "browser", values: ["Firefox", null], isNot: false },
  ],
  visitors: true,
  interval: "day",
  timeZone: "UTC",
  limit: 2,
};

describe.skipIf(!HAS_CLICKHOUSE)(`Days that are in ClickHouse${CLICKHOUSE_HINT}`, () => {
  let clickHouse: TestClickHouse;
  let stage: Stage;
  let world: World;

  beforeAll(async () => {
    if (!HAS_CLICKHOUSE) {
      return;
    }
    clickHouse = await openClickHouse();
    stage = await openStage({ clickHouseUrl: clickHouse.url });
    world = await openWorld(stage);
    await addClicks(world, { ...RANGE, clicks: 800, visitorsADay: 40 });
    await makeDays(world, (dayMs) => dayMs < TODAY_MS);
    await clickHouse.copy(stage);
    // As retention does it.
    const keptFrom = [new Date(KEPT_FROM_MS).toISOString()];
    await stage.client.query("INSERT INTO event_retention (kept_from) VALUES ($1)", keptFrom);
    await stage.client.query("DELETE FROM click_events WHERE clicked_at < $1", keptFrom);
  });
  afterAll(async () => {
    await stage?.close();
    await clickHouse?.close();
  });

  it.each(["city", "link", "tag"])(
    "are answered after retention has removed their clicks from Postgres, together with today, by %s",
    (dimension) => expectCounts(world, { ...ASKED, dimension }),
  );

  it("are listed click by click", () => expectEvents(world, { ...RANGE, filters: [ALL] }));

  it("are counted there if what Postgres has pre-aggregated takes too long to add up", async () => {
    await stage.client.query("BEGIN; LOCK TABLE click_cube");
    const asked = { ...RANGE, toMs: TODAY_MS, filters: [HUMANS, isOneOf("country", "CH")] };
    const { clicks } = await ask<{ clicks: number }>(world, "totals", toQuery(asked));
    expect(clicks).toBe(matchingRows(world, asked).length);
    await stage.client.query("ROLLBACK");
  });

  it("are not answered from ClickHouse once a click came late, so the answer says that it is not complete", async () => {
    const late = FROM_MS + DAY_MS;
    await addClicks(world, { clicks: 1, fromMs: late, toMs: late + 1 });
    expect((await ask<Told>(world, "totals", toQuery(ASKED))).range.complete).toBe(false);
  });

  it("are answered from Postgres when ClickHouse is away", async () => {
    await clickHouse.kill();
    const log = vi.spyOn(console, "log").mockReturnValue();
    await expectCounts(world, { ...ASKED, fromMs: KEPT_FROM_MS, dimension: null });
    expect(log.mock.calls.join("\n")).toContain("clickhouse.failed");
    log.mockRestore();
  });

  it.each([
    ["link", [HUMANS], "UTC"],
    ["country", [HUMANS], "UTC"],
    ["tag", [ALL], "Asia/Kathmandu"],
    ["city", [HUMANS, isOneOf("country", "CH")], "UTC"],
  ])(
    "are not asked of ClickHouse if Postgres has pre-aggregated them, by %s",
    async (dimension, filters, timeZone) => {
      const log = vi.spyOn(console, "log").mockReturnValue();
      // From after the late click.
      const range = { ...RANGE, fromMs: FROM_MS + 2 * DAY_MS };
      const visitors = dimension === "link" || dimension === "country";
      await expectCounts(world, { ...ASKED, ...range, filters, timeZone, visitors, dimension });
      expect(log.mock.calls).toEqual([]);
      log.mockRestore();
    },
  );
});
