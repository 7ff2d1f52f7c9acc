/** A week matches its seven days, is made of nothing else, and is found if it is missing or out of date. */
import { dropOldClicks } from "../../src/ledger/drop-old-clicks.ts";
import { findLedgerTotals } from "../../src/ledger/find-ledger-totals.ts";
import { findUnsummarisedWeeks } from "../../src/summaries/find-unsummarised-weeks.ts";
import { DRIFTS, findDrift } from "../../src/summaries/find-drift.ts";
import { summarisePeriod } from "../../src/summaries/summarise-period.ts";
import { summariseWeek, WEEK_MS } from "../../src/summaries/summarise-week.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, TIMEOUT_MS, useDbStage, WORKSPACE } from "../db-stage.ts";

/** A Thursday. */
const WEEK = Date.UTC(2026, 10, 12);

const { select, insert, emptyClicks, runSql, runTransaction } = useDbStage();

beforeEach(emptyClicks);

const summariseDay = (day: number, hours = 24) =>
  summarisePeriod(
    runTransaction,
    {
      workspaceId: WORKSPACE,
      fromMs: WEEK + day * DAY_MS,
      toMs: WEEK + day * DAY_MS + hours * HOUR_MS,
    },
    { timeoutMs: TIMEOUT_MS, minScopeClicks: 5 },
  );
const summariseDays = async (first: number, count: number) => {
  for (let day = first; day < first + count; day += 1) {
    await summariseDay(day);
  }
};
const summarise = (fromMs = WEEK) =>
  summariseWeek(runTransaction, { workspaceId: WORKSPACE, fromMs }, { timeoutMs: TIMEOUT_MS });
const firstDay = { sinceMs: WEEK, untilMs: WEEK + DAY_MS };
const drift = () => findDrift(runSql, firstDay, TIMEOUT_MS, [DRIFTS.weeks]);
const find = async (sinceMs = WEEK) =>
  (await findUnsummarisedWeeks(runSql, { sinceMs, limit: 100, timeoutMs: TIMEOUT_MS })).map(
    ({ fromMs }) => (fromMs - WEEK) / WEEK_MS,
  );

/** Ten clicks a day, five of six from CH, but on the fourth day only three with a country. */
const spread = (index: number) => ({
  clickedAtMs: WEEK + Math.floor(index / 10) * DAY_MS + (index % 10) * HOUR_MS,
  country: index % 6 === 0 || (index >= 30 && index < 37) ? null : "CH",
  class: index % 5 === 0 ? "bot" : "human",
  destination: "https://example.com/".padEnd(8_192, String(index % 2)),
});

describe("a week's summaries", () => {
  it("count every value of its days once, even if they are made twice", async () => {
    await insert([{ count: 70, row: spread }]);
    await summariseDays(0, 7);
    await summarise();
    await summarise();
    expect(await select("SELECT clicks::int AS clicks FROM summary_weeks")).toEqual([{ clicks: 70 }]);
    expect(
      await select(`SELECT dimension, sum(clicks)::int AS clicks FROM dimension_weeks
        WHERE dimension IN ('os', 'destination') GROUP BY 1 ORDER BY 1`),
    ).toEqual([
      { dimension: "destination", clicks: 70 },
      { dimension: "os", clicks: 70 },
    ]);
    expect(await select("SELECT class, clicks::int AS clicks FROM link_weeks ORDER BY 1")).toEqual([
      { class: "bot", clicks: 14 },
      { class: "human", clicks: 56 },
    ]);
    expect(
      await select(`SELECT class, member_values, member_clicks::int[] AS member_clicks FROM scope_weeks
        WHERE scope = 'link_id' AND dimension = 'device' ORDER BY 1`),
    ).toEqual([
      { class: "bot", member_values: ["desktop"], member_clicks: [14] },
      { class: "human", member_values: ["desktop"], member_clicks: [56] },
    ]);
    expect(await drift()).toBe(0);
  });

  it("have the inside of a link or country only if all seven days have it", async () => {
    await insert([{ count: 70, row: spread }]);
    await summariseDays(0, 7);
    await summarise();
    expect(
      await select(`SELECT scope, count(DISTINCT period_start)::int AS days FROM scope_summaries
        WHERE scope IN ('country', 'link_id') GROUP BY 1 ORDER BY 1`),
    ).toEqual([
      { scope: "country", days: 6 },
      { scope: "link_id", days: 7 },
    ]);
    expect(
      await select("SELECT DISTINCT scope FROM scope_weeks WHERE scope IN ('country', 'link_id')"),
    ).toEqual([{ scope: "link_id" }]);
    expect(await drift()).toBe(0);
  });

  it("are made of seven whole days, or stay as they are", async () => {
    await insert([{ count: 70, row: spread }]);
    await summariseDays(0, 6);
    await expect(summarise()).rejects.toMatchObject({ code: "23502" });
    await summariseDay(6);
    await summarise();
    await summariseDay(6, 1);
    await expect(summarise()).rejects.toMatchObject({ code: "23502" });
    expect(await select("SELECT sum(clicks)::int AS clicks FROM link_weeks")).toEqual([{ clicks: 70 }]);
  });

  it("are made even if retention removed the events", async () => {
    await insert([{ count: 70, row: spread }]);
    await summariseDays(0, 7);
    await dropOldClicks(runSql, { beforeMs: WEEK + WEEK_MS, timeoutMs: TIMEOUT_MS });
    await summarise();
    expect(await select("SELECT sum(clicks)::int AS clicks FROM link_weeks")).toEqual([{ clicks: 70 }]);
    expect(await drift()).toBe(0);
  });

  it("are complete if they and their days are made concurrently", async () => {
    await insert([{ count: 70, row: spread }]);
    await summariseDays(0, 7);
    await insert([{ first: 71, count: 1, row: () => ({ clickedAtMs: WEEK }) }]);
    await Promise.all([summarise(), summariseDay(0), summarise(), summarise()]);
    const counts = await select(`SELECT (SELECT sum(clicks) FROM summary_weeks)::int AS week,
      (SELECT sum(clicks) FROM link_weeks)::int AS links`);
    expect(counts).toEqual([{ week: counts[0]?.["links"], links: counts[0]?.["links"] }]);
    await summarise();
    expect(await drift()).toBe(0);
  });

  it.each([
    ["value", "UPDATE dimension_weeks SET clicks = clicks + 1 WHERE dimension = 'os'"],
    ["link", "UPDATE link_weeks SET clicks = clicks + 1"],
    ["row", "DELETE FROM dimension_weeks WHERE dimension = 'colo' AND class = 'bot'"],
    [
      "value inside a link",
      "UPDATE scope_weeks SET member_clicks[1] = 99 WHERE scope = 'link_id' AND dimension = 'os'",
    ],
  ])("with a wrong or missing %s are detected, and reconcile does not add up", async (_what, statement) => {
    await insert([{ count: 70, row: spread }]);
    await summariseDays(0, 7);
    await summarise();
    await select(statement);
    expect(await drift()).toBeGreaterThan(0);
    const totals = await findLedgerTotals(runSql, firstDay, TIMEOUT_MS);
    expect(totals.rollupDifference).toBeGreaterThan(0);
  });

  it("that analytics do not read are not compared", async () => {
    await insert([{ count: 70, row: spread }]);
    await summariseDays(0, 7);
    await summarise();
    await insert([{ first: 71, count: 1, row: () => ({ clickedAtMs: WEEK }) }]);
    await summariseDay(0);
    expect(await drift()).toBe(0);
  });
});

describe("weeks that have to be made", () => {
  it("are those with seven summarised days, newest first", async () => {
    await insert([{ count: 140, row: spread }]);
    await summariseDays(0, 13);
    expect(await find()).toEqual([0]);
    await summariseDay(13, 1);
    expect(await find()).toEqual([0]);
    await summariseDay(13);
    expect(await find()).toEqual([1, 0]);
    expect(await find(WEEK + WEEK_MS + 3 * DAY_MS)).toEqual([1]);
    await summarise();
    expect(await find()).toEqual([1]);
    await summarise(WEEK + WEEK_MS);
    expect(await find()).toEqual([]);
  });

  it("are those of which a day was made again with another number of clicks", async () => {
    await insert([{ count: 70, row: spread }]);
    await summariseDays(0, 7);
    await summarise();
    await summariseDay(2);
    expect(await find()).toEqual([]);
    await insert([{ first: 71, count: 1, row: () => ({ clickedAtMs: WEEK + 2 * DAY_MS }) }]);
    expect(await find()).toEqual([]);
    await summariseDay(2);
    expect(await find()).toEqual([0]);
    await summarise();
    expect(await find()).toEqual([]);
    expect(await select("SELECT sum(clicks)::int AS clicks FROM link_weeks")).toEqual([{ clicks: 71 }]);
  });
});
