/** Summaries match their events, survive retention, and are found if they are missing or out of date. */
import { dropOldClicks } from "../../src/ledger/drop-old-clicks.ts";
import { findDrift } from "../../src/summaries/find-drift.ts";
import { findUnsummarised } from "../../src/summaries/find-unsummarised.ts";
import { summarisePeriod } from "../../src/summaries/summarise-period.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, TIMEOUT_MS, useDbStage, WORKSPACE } from "../db-stage.ts";

const DAY = Date.UTC(2026, 10, 20);
const OPTIONS = { timeoutMs: TIMEOUT_MS, minScopeClicks: 5, minVisitorClicks: 5, minTagClicks: 5 };

const { select, insert, emptyClicks, runSql, runTransaction } = useDbStage();

beforeAll(() => select("UPDATE links SET tags = '{mail,print}'"));
beforeEach(emptyClicks);

const at = (fromMs: number, toMs: number) => ({ workspaceId: WORKSPACE, fromMs, toMs });
const summarise = (fromMs: number, toMs: number) =>
  summarisePeriod(runTransaction, at(fromMs, toMs), OPTIONS);
const ofDay = { sinceMs: DAY, untilMs: DAY + DAY_MS };
const drift = () => findDrift(runSql, ofDay, TIMEOUT_MS);
const find = (nowMs: number, minClicks = 1) =>
  findUnsummarised(runSql, { sinceMs: DAY, nowMs, minClicks, limit: 100, timeoutMs: TIMEOUT_MS });
const periods = () =>
  select(
    `SELECT extract(epoch FROM period_start - to_timestamp($1))::int / 3600 AS hour,
       extract(epoch FROM period_end - period_start)::int / 3600 AS hours
     FROM summary_periods ORDER BY 1`,
    [DAY / 1_000],
  );

const spread = (index: number) => ({
  clickedAtMs: DAY + index * 10 * 60_000,
  country: index % 3 === 0 ? null : "CH",
  class: index % 5 === 0 ? "bot" : "human",
  destination: "https://example.com/".padEnd(8_192, String(index % 2)),
  visitor: index % 7 === 0 ? null : `00000000-0000-4000-8000-00000000000${index % 6}`,
});

describe("a period's summaries", () => {
  it("count every value of its events once, even if they are made twice", async () => {
    await insert([{ count: 100, row: spread }]);
    await summarise(DAY, DAY + DAY_MS);
    await summarise(DAY, DAY + DAY_MS);
    expect(await periods()).toEqual([{ hour: 0, hours: 24 }]);
    expect(await drift()).toBe(0);
  });

  it("of a day replace those of its hours, and vice versa", async () => {
    await insert([{ count: 100, row: spread }]);
    await summarise(DAY, DAY + HOUR_MS);
    await summarise(DAY + 3 * HOUR_MS, DAY + 4 * HOUR_MS);
    expect(await periods()).toEqual([
      { hour: 0, hours: 1 },
      { hour: 3, hours: 1 },
    ]);
    await summarise(DAY, DAY + DAY_MS);
    expect(await periods()).toEqual([{ hour: 0, hours: 24 }]);
    await summarise(DAY + 3 * HOUR_MS, DAY + 4 * HOUR_MS);
    expect(await periods()).toEqual([{ hour: 3, hours: 1 }]);
    expect(await drift()).toBe(0);
  });

  it("never overlap if they are made concurrently", async () => {
    await insert([{ count: 100, row: spread }]);
    await Promise.all([
      summarise(DAY, DAY + DAY_MS),
      summarise(DAY + 3 * HOUR_MS, DAY + 4 * HOUR_MS),
      summarise(DAY, DAY + DAY_MS),
      summarise(DAY, DAY + HOUR_MS),
    ]);
    const rows = await select(
      `SELECT FROM summary_periods a JOIN summary_periods b ON a.period_start < b.period_start
         AND a.period_end > b.period_start`,
    );
    expect(rows).toEqual([]);
    expect(await drift()).toBe(0);
  });

  it("stay as they are once events of the period were removed", async () => {
    await insert([{ count: 100, row: spread }]);
    await summarise(DAY, DAY + DAY_MS);
    await select("DELETE FROM click_events WHERE clicked_at < to_timestamp($1::float8 / 1000)", [
      DAY + HOUR_MS,
    ]);
    await expect(summarise(DAY, DAY + DAY_MS)).rejects.toMatchObject({ code: "23502" });
    const rows = await select("SELECT sum(clicks)::int AS clicks FROM link_summaries");
    expect(rows).toEqual([{ clicks: 100 }]);
  });

  it("complete rollups that an older consumer did not write", async () => {
    await insert([{ count: 100, row: spread }]);
    await select("DELETE FROM workspace_rollups WHERE class = 'bot'");
    await select("UPDATE workspace_rollups SET clicks = clicks - 1");
    await summarise(DAY, DAY + DAY_MS);
    const rows = await select(
      "SELECT class, sum(clicks)::int AS clicks FROM workspace_rollups GROUP BY 1 ORDER BY 1",
    );
    expect(rows).toEqual([
      { class: "bot", clicks: 20 },
      { class: "human", clicks: 80 },
    ]);
  });

  it.each([
    ["value", "UPDATE dimension_summaries SET clicks = clicks + 1 WHERE dimension = 'os'"],
    ["quarter of an hour", "UPDATE dimension_summaries SET quarter_clicks[1] = 99 WHERE dimension = 'os'"],
    ["link", "UPDATE link_summaries SET clicks = clicks + 1"],
    ["row", "DELETE FROM dimension_summaries WHERE dimension = 'colo'"],
    [
      "value inside a link",
      "UPDATE scope_summaries SET member_clicks[1] = 99 WHERE scope = 'link_id' AND dimension = 'os'",
    ],
    ["link's visitors so far", "UPDATE visitor_summaries SET seen_by[3] = 1 WHERE scope = 'link_id'"],
    ["country's visitors since", "UPDATE visitor_summaries SET seen_since[2] = 1 WHERE scope_value = 'CH'"],
    ["quarter of a visitor", "UPDATE visitor_summaries SET first_quarters[2] = 95 WHERE scope = 'workspace'"],
    ["visitors of a country", "DELETE FROM visitor_summaries WHERE scope_value = 'CH' AND of_humans"],
    ["value inside a tag", "UPDATE tag_summaries SET member_clicks[1] = 99 WHERE dimension = 'os'"],
    [
      "tag's quarter of an hour",
      "UPDATE tag_summaries SET member_values[1] = '95' WHERE dimension = 'quarter'",
    ],
    ["links of a tag", "DELETE FROM tag_summaries WHERE dimension = 'link_id' AND tag = 'mail'"],
    ["link that a tag had", "UPDATE tag_memberships SET to_generation = 1 WHERE tag = 'print'"],
  ])("with a wrong or missing %s are detected", async (_what, statement) => {
    await insert([{ count: 100, row: spread }]);
    await summarise(DAY, DAY + DAY_MS);
    await select(statement);
    expect(await drift()).toBeGreaterThan(0);
  });
});

describe("a day's visitors", () => {
  const rowsOf = (scope: string) =>
    select(
      `SELECT scope_value, of_humans, first_quarters, seen_by, last_quarters, seen_since
       FROM visitor_summaries WHERE scope = $1 ORDER BY scope_value, of_humans`,
      [scope],
    );
  const one = "00000000-0000-4000-8000-000000000001";
  const two = "00000000-0000-4000-8000-000000000002";
  const QUARTER_MS = HOUR_MS / 4;
  const visits = [
    { visitor: one, clickedAtMs: DAY, class: "human", country: "CH" },
    { visitor: one, clickedAtMs: DAY + 95 * QUARTER_MS, class: "bot", country: "DE" },
    { visitor: two, clickedAtMs: DAY + 2 * QUARTER_MS - 1, class: "human", country: "CH" },
    { visitor: null, clickedAtMs: DAY + 7 * QUARTER_MS, class: "human", country: null },
  ];

  it("are counted up to and since each quarter of an hour", async () => {
    await insert([{ count: visits.length, row: (index) => visits[index] ?? {} }]);
    await summarise(DAY, DAY + DAY_MS);
    const humans = { first_quarters: [0, 1], seen_by: [1, 2], last_quarters: [0, 1], seen_since: [2, 1] };
    const none = { first_quarters: [], seen_by: [], last_quarters: [], seen_since: [] };
    expect(await rowsOf("workspace")).toEqual([
      {
        scope_value: "",
        of_humans: false,
        first_quarters: [0, 1],
        seen_by: [1, 2],
        last_quarters: [1, 95],
        seen_since: [2, 1],
      },
      { scope_value: "", of_humans: true, ...humans },
    ]);
    expect(await rowsOf("country")).toEqual([
      { scope_value: "", of_humans: false, ...none },
      { scope_value: "", of_humans: true, ...none },
      { scope_value: "CH", of_humans: false, ...humans },
      { scope_value: "CH", of_humans: true, ...humans },
      {
        scope_value: "DE",
        of_humans: false,
        first_quarters: [95],
        seen_by: [1],
        last_quarters: [95],
        seen_since: [1],
      },
      { scope_value: "DE", of_humans: true, ...none },
    ]);
    // Four clicks are too few for a link to have rows.
    expect(await rowsOf("link_id")).toEqual([]);
    expect(await drift()).toBe(0);
  });

  it("are removed when an hour replaces the day, and are not made for hours", async () => {
    await insert([{ count: 100, row: spread }]);
    await summarise(DAY, DAY + DAY_MS);
    expect(await rowsOf("link_id")).toHaveLength(2);
    await summarise(DAY + 3 * HOUR_MS, DAY + 4 * HOUR_MS);
    expect(await rowsOf("link_id")).toEqual([]);
    expect(await rowsOf("workspace")).toEqual([]);
  });

  it("are stored inline, even with a number for every quarter of an hour", async () => {
    const visitorOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    const row = (index: number) => ({ clickedAtMs: DAY + index * QUARTER_MS, visitor: visitorOf(index) });
    await insert([{ count: 96, row }]);
    await summarise(DAY, DAY + DAY_MS);
    const rows = await select(
      `SELECT cardinality(seen_by) AS quarters,
         pg_relation_size((SELECT reltoastrelid FROM pg_class WHERE relname = 'visitor_summaries'))::int AS outside
       FROM visitor_summaries WHERE scope = 'link_id' AND of_humans`,
    );
    expect(rows).toEqual([{ quarters: 96, outside: 0 }]);
  });
});

describe("periods that have to be made", () => {
  it("are hours of the current day, and then the day, each once it is over", async () => {
    await insert([{ count: 13, row: spread }]);
    expect(await find(DAY + HOUR_MS)).toEqual([]);
    expect(await find(DAY + 2.5 * HOUR_MS)).toEqual([
      at(DAY + HOUR_MS, DAY + 2 * HOUR_MS),
      at(DAY, DAY + HOUR_MS),
    ]);
    await summarise(DAY, DAY + HOUR_MS);
    expect(await find(DAY + 2.5 * HOUR_MS)).toEqual([at(DAY + HOUR_MS, DAY + 2 * HOUR_MS)]);
    expect(await find(DAY + 25 * HOUR_MS)).toEqual([at(DAY, DAY + DAY_MS)]);
    await summarise(DAY, DAY + DAY_MS);
    expect(await find(DAY + 25 * HOUR_MS)).toEqual([]);
  });

  it("are days that were made before tags or visitors were pre-aggregated", async () => {
    await insert([{ count: 20, row: spread }]);
    await summarise(DAY, DAY + DAY_MS);
    await select("UPDATE summary_periods SET with_tags = false");
    expect(await find(DAY + 25 * HOUR_MS)).toEqual([at(DAY, DAY + DAY_MS)]);
    await summarise(DAY, DAY + DAY_MS);
    expect(await find(DAY + 25 * HOUR_MS)).toEqual([]);
  });

  it("are those that got a late click, but not those with few clicks or without events", async () => {
    await insert([{ count: 20, row: spread }]);
    await summarise(DAY, DAY + DAY_MS);
    await insert([{ first: 21, count: 1, row: () => ({ clickedAtMs: DAY }) }]);
    expect(await find(DAY + 25 * HOUR_MS)).toEqual([at(DAY, DAY + DAY_MS)]);
    expect(await find(DAY + 25 * HOUR_MS, 22)).toEqual([]);
    await dropOldClicks(runSql, { beforeMs: DAY + DAY_MS, timeoutMs: TIMEOUT_MS });
    expect(await find(DAY + 25 * HOUR_MS)).toEqual([]);
  });
});
