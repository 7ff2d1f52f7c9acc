/** A day's clicks of a tag's links are counted once, and which links they were is recorded. */
import { DRIFTS, findDrift } from "../../src/summaries/find-drift.ts";
import { summarisePeriod, type SummariseOptions } from "../../src/summaries/summarise-period.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LINK_ID } from "../click-batch.ts";
import { DAY_MS, HOUR_MS, TIMEOUT_MS, useDbStage, WORKSPACE } from "../db-stage.ts";

const FIRST_DAY = Date.UTC(2026, 10, 16);
const A = LINK_ID;
const B = "0198f3c2-0000-7000-8000-00000000000b";

const { select, insert, emptyClicks, addLink, runSql, runTransaction } = useDbStage();

beforeAll(() => addLink(B, "b"));
beforeEach(emptyClicks);

/** Ten clicks of each link on each of five days; every fifth is a bot's. */
const insertDays = () =>
  insert([
    {
      count: 100,
      row: (index) => ({
        clickedAtMs: FIRST_DAY + Math.floor(index / 20) * DAY_MS + (index % 20) * HOUR_MS,
        linkId: index % 2 === 0 ? A : B,
        class: index % 10 < 2 ? "bot" : "human",
        country: index % 4 < 2 ? "CH" : null,
      }),
    },
  ]);
const summarise = (day: number, options: Partial<SummariseOptions> = {}) =>
  summarisePeriod(
    runTransaction,
    { workspaceId: WORKSPACE, fromMs: FIRST_DAY + day * DAY_MS, toMs: FIRST_DAY + (day + 1) * DAY_MS },
    { timeoutMs: TIMEOUT_MS, minTagClicks: 5, ...options },
  );
const tag = (linkId: string, tags: readonly string[]) =>
  select("UPDATE links SET tags = $2 WHERE id = $1", [linkId, tags]);
const memberships = () =>
  select(`SELECT tag, slug AS link, from_generation AS first, to_generation AS end
    FROM tag_memberships JOIN links ON links.id = link_id ORDER BY tag, slug, from_generation`);
const generations = () => select("SELECT tag, generation FROM tag_periods ORDER BY tag, period_start");
const days = { sinceMs: FIRST_DAY, untilMs: FIRST_DAY + 5 * DAY_MS };
const drift = () => findDrift(runSql, days, TIMEOUT_MS, [DRIFTS.tags]);

describe("a day of a tag", () => {
  it("counts its links' clicks by every value and quarter of an hour, those of a link with two tags for both", async () => {
    await insertDays();
    await tag(A, ["mail", "print"]);
    await tag(B, ["mail"]);
    await summarise(0);
    expect(
      await select(`SELECT tag, dimension, class, (SELECT sum(part)::int FROM unnest(member_clicks) AS part) AS clicks
        FROM tag_summaries WHERE dimension IN ('quarter', 'country') ORDER BY 1, 2, 3`),
    ).toEqual(
      ["mail", "print"].flatMap((name) =>
        ["country", "quarter"].flatMap((dimension) => {
          const times = name === "mail" ? 2 : 1;
          return [
            { tag: name, dimension, class: "bot", clicks: 2 * times },
            { tag: name, dimension, class: "human", clicks: 8 * times },
          ];
        }),
      ),
    );
    expect(await drift()).toBe(0);
  });

  it("has no rows if there are too few clicks, no tag, or only hours", async () => {
    await insertDays();
    await tag(A, ["mail"]);
    await tag(B, []);
    await summarise(0, { minTagClicks: 11 });
    expect(await select("SELECT FROM tag_summaries")).toEqual([]);
    await summarise(0, { minTagClicks: 10 });
    expect(await select("SELECT DISTINCT tag FROM tag_summaries")).toEqual([{ tag: "mail" }]);
    await summarisePeriod(
      runTransaction,
      { workspaceId: WORKSPACE, fromMs: FIRST_DAY, toMs: FIRST_DAY + HOUR_MS },
      { timeoutMs: TIMEOUT_MS, minTagClicks: 1 },
    );
    expect(await select("SELECT FROM tag_summaries")).toEqual([]);
    expect(await select("SELECT FROM tag_periods")).toEqual([]);
  });

  it("counts a click once even if its link has the tag twice", async () => {
    await insertDays();
    await tag(A, ["mail", "mail"]);
    await tag(B, []);
    await summarise(0);
    expect(await drift()).toBe(0);
    expect(await memberships()).toEqual([{ tag: "mail", link: "a", first: 1, end: null }]);
  });

  it("is made again if an older release removed its period and left its rows", async () => {
    await insertDays();
    await tag(A, ["mail"]);
    await summarise(0);
    await select("DELETE FROM summary_periods");
    await summarise(0);
    expect(await drift()).toBe(0);
  });
});

describe("the links of a tag", () => {
  it("begin a generation only when they change", async () => {
    await insertDays();
    await tag(A, ["mail"]);
    await tag(B, []);
    await summarise(0);
    await summarise(1);
    await tag(B, ["mail"]);
    await summarise(2);
    await tag(A, []);
    await summarise(3);
    await tag(A, ["mail"]);
    await tag(B, []);
    await summarise(4);
    expect(await generations()).toEqual([1, 1, 2, 3, 4].map((generation) => ({ tag: "mail", generation })));
    expect(await memberships()).toEqual([
      { tag: "mail", link: "a", first: 1, end: 3 },
      { tag: "mail", link: "a", first: 4, end: null },
      { tag: "mail", link: "b", first: 2, end: 4 },
    ]);
    expect(await drift()).toBe(0);
  });

  it("are those at the moment when a day is made again", async () => {
    await insertDays();
    await tag(A, ["mail"]);
    await tag(B, []);
    await summarise(0);
    await summarise(1);
    await tag(B, ["mail"]);
    await summarise(0);
    expect(await generations()).toEqual([2, 1].map((generation) => ({ tag: "mail", generation })));
    expect(await drift()).toBe(0);
  });
});

describe("the inside of a country", () => {
  const countries = () =>
    select("SELECT DISTINCT scope_value AS country FROM scope_summaries WHERE scope = 'country'");

  it("is counted for every country on a busy day", async () => {
    await insertDays();
    await summarise(0, { minScopeClicks: 11 });
    expect(await countries()).toEqual([]);
    await summarise(0, { minScopeClicks: 11, minBusyDayClicks: 21 });
    expect(await countries()).toEqual([]);
    await summarise(0, { minScopeClicks: 11, minBusyDayClicks: 20 });
    expect(await countries()).toEqual([{ country: "CH" }]);
  });
});
