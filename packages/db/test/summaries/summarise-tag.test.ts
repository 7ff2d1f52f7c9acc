/** A tag's days are made for its present links: days from before the tag, and days on which changed links had many clicks. */
import { dropOldClicks } from "../../src/ledger/drop-old-clicks.ts";
import { DRIFTS, findDrift } from "../../src/summaries/find-drift.ts";
import { findUncountedTags } from "../../src/summaries/find-uncounted-tags.ts";
import { summarisePeriod } from "../../src/summaries/summarise-period.ts";
import { summariseTag, type SummariseTagOptions } from "../../src/summaries/summarise-tag.ts";
import { updateTagMemberships } from "../../src/summaries/update-tag-memberships.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LINK_ID } from "../click-batch.ts";
import { DAY_MS, HOUR_MS, TIMEOUT_MS, useDbStage, WORKSPACE } from "../db-stage.ts";

const FIRST_DAY = Date.UTC(2026, 10, 16);
const DAYS = [0, 1, 2, 3, 4];
const OTHER_WORKSPACE = "0198f3c2-0000-7000-8000-000000000003";
const A = LINK_ID;
const B = "0198f3c2-0000-7000-8000-00000000000b";
/** Without clicks. */
const C = "0198f3c2-0000-7000-8000-00000000000c";
/** Of the other workspace. */
const D = "0198f3c2-0000-7000-8000-00000000000d";

const { select, insert, emptyClicks, addWorkspace, addLink, runSql, runTransaction } = useDbStage();

beforeAll(async () => {
  const other = { workspace: OTHER_WORKSPACE, domain: OTHER_WORKSPACE };
  await addWorkspace(other.workspace, other.domain);
  await addLink(B, "b");
  await addLink(C, "c");
  await addLink(D, "d", other);
});
beforeEach(async () => {
  await emptyClicks();
  await select("UPDATE links SET tags = '{}'");
  await insertDays();
});

/** Ten clicks of A and five of B on each of five days; every fifth is a bot's. */
const insertDays = () =>
  insert([
    {
      count: 75,
      row: (index) => ({
        clickedAtMs: FIRST_DAY + Math.floor(index / 15) * DAY_MS + (index % 15) * HOUR_MS,
        linkId: index % 3 === 0 ? B : A,
        class: index % 5 === 0 ? "bot" : "human",
        country: index % 4 < 2 ? "CH" : null,
      }),
    },
  ]);
const insertLate = (day: number) =>
  insert([
    { isolateId: "00c0ffee00000002", count: 1, row: () => ({ clickedAtMs: FIRST_DAY + day * DAY_MS }) },
  ]);
const summarise = (day: number, workspaceId = WORKSPACE) =>
  summarisePeriod(
    runTransaction,
    { workspaceId, fromMs: FIRST_DAY + day * DAY_MS, toMs: FIRST_DAY + (day + 1) * DAY_MS },
    { timeoutMs: TIMEOUT_MS, minTagClicks: 1 },
  );
const summariseDays = async () => {
  for (const day of DAYS) {
    await summarise(day);
  }
};
const tag = (linkId: string, tags: readonly string[]) =>
  select("UPDATE links SET tags = $2 WHERE id = $1", [linkId, tags]);
const summariseMail = (options: Partial<SummariseTagOptions> = {}) =>
  summariseTag(
    runTransaction,
    { workspaceId: WORKSPACE, tag: "mail" },
    { timeoutMs: TIMEOUT_MS, minTagClicks: 1, minDifference: 1, ...options },
  );
const updateMemberships = () => updateTagMemberships(runTransaction, TIMEOUT_MS);
/** The days that analytics would use, with the generation they were made of. */
const madeDays = async () =>
  (
    await select(
      `SELECT extract(epoch FROM period_start)::float8 * 1000 AS day, generation
       FROM tag_periods JOIN summary_periods USING (workspace_id, period_start, clicks) ORDER BY period_start`,
    )
  ).map(({ day, generation }) => [(Number(day) - FIRST_DAY) / DAY_MS, generation]);
const allDays = (generation: number) => DAYS.map((day) => [day, generation]);
const uncounted = async (limit = 100) =>
  (await findUncountedTags(runSql, { limit, timeoutMs: TIMEOUT_MS })).map((found) => found.tag);
const days = { sinceMs: FIRST_DAY, untilMs: FIRST_DAY + 5 * DAY_MS };
const drift = () => findDrift(runSql, days, TIMEOUT_MS, [DRIFTS.tags]);

describe("days from before a tag", () => {
  it("are made, with the rows that the day's job makes", async () => {
    const rows = () =>
      select(`SELECT tag, dimension, period_start, class, domain_id,
          (SELECT json_agg(ARRAY[value, clicks::text] ORDER BY value)
            FROM unnest(member_values, member_clicks) AS part (value, clicks)) AS members
        FROM tag_summaries ORDER BY 1, 2, 3, 4, 5`);
    await tag(A, ["mail"]);
    await tag(B, ["mail"]);
    await summariseDays();
    const expected = await rows();
    expect(expected.length).toBeGreaterThan(100);
    await select("TRUNCATE tag_summaries, tag_periods, tag_memberships, tag_generations");
    expect(await summariseMail()).toBe(false);
    expect(await rows()).toEqual(expected);
    expect(await madeDays()).toEqual(allDays(1));
    expect(await drift()).toBe(0);
  });

  it("are made newest first, a limited number of clicks at a time, until all are made", async () => {
    await summariseDays();
    await tag(A, ["mail"]);
    await updateMemberships();
    const steps = [];
    for (let isCounted = false; !isCounted;) {
      expect(await uncounted()).toEqual(["mail"]);
      isCounted = await summariseMail({ maxClicks: 29 });
      expect(await drift()).toBe(0);
      steps.push((await madeDays()).map(([day]) => day));
    }
    expect(steps).toEqual([[3, 4], [1, 2, 3, 4], DAYS, DAYS]);
    expect(await uncounted()).toEqual([]);
  });

  it("are made one by one if each has more clicks than the limit", async () => {
    await summariseDays();
    await tag(A, ["mail"]);
    expect(await summariseMail({ maxClicks: 9 })).toBe(false);
    expect(await summariseMail({ maxClicks: 9 })).toBe(false);
    expect(await madeDays()).toEqual([
      [3, 1],
      [4, 1],
    ]);
  });

  it("are not made if the tag has few clicks", async () => {
    await summariseDays();
    await tag(B, ["mail"]);
    expect(await summariseMail({ minTagClicks: 6 })).toBe(true);
    expect(await madeDays()).toEqual([]);
    expect(await summariseMail({ minTagClicks: 5 })).toBe(false);
    expect(await madeDays()).toEqual(allDays(1));
  });
});

describe("days that a tag has", () => {
  it("are made again after a link with many clicks was added or removed, but not for one with few", async () => {
    await tag(A, ["mail"]);
    await summariseDays();
    await tag(B, ["mail"]);
    expect(await summariseMail({ minDifference: 6 })).toBe(true);
    expect(await madeDays()).toEqual(allDays(1));
    expect(await drift()).toBe(0);
    expect(await summariseMail({ minDifference: 5 })).toBe(false);
    expect(await madeDays()).toEqual(allDays(2));
    expect(await drift()).toBe(0);
    await tag(A, []);
    expect(await summariseMail({ minDifference: 11 })).toBe(true);
    expect(await madeDays()).toEqual(allDays(2));
    expect(await summariseMail({ minDifference: 10 })).toBe(false);
    expect(await madeDays()).toEqual(allDays(3));
    expect(await drift()).toBe(0);
  });

  it("stay if a link was removed and added again, or has no clicks", async () => {
    await tag(A, ["mail"]);
    await summariseDays();
    await tag(A, []);
    await updateMemberships();
    await tag(A, ["mail"]);
    await tag(C, ["mail"]);
    expect(await summariseMail()).toBe(true);
    expect(await madeDays()).toEqual(allDays(1));
    expect(await select("SELECT generation, counted_generation AS counted FROM tag_generations")).toEqual([
      { generation: 3, counted: 3 },
    ]);
  });

  it("are empty once the tag has no links", async () => {
    await tag(A, ["mail"]);
    await summariseDays();
    await tag(A, []);
    expect(await summariseMail()).toBe(false);
    expect(await select("SELECT FROM tag_summaries")).toEqual([]);
    expect(await drift()).toBe(0);
    expect(await summariseMail()).toBe(true);
  });

  it("are made for one tag without touching another", async () => {
    await tag(A, ["mail", "print"]);
    await summariseDays();
    const print =
      "SELECT xmin, tag_summaries FROM tag_summaries WHERE tag = 'print' ORDER BY tag_summaries::text";
    const before = await select(print);
    await tag(A, ["mail"]);
    await tag(B, ["mail"]);
    await summariseMail();
    expect(await select(print)).toEqual(before);
    expect(await drift()).toBe(0);
  });
});

describe("a day is not made", () => {
  const madeExcept = (day: number) => allDays(1).filter(([made]) => made !== day);

  it("while its summaries miss a late click", async () => {
    await summariseDays();
    await tag(A, ["mail"]);
    await insertLate(1);
    await summariseMail();
    expect(await madeDays()).toEqual(madeExcept(1));
    expect(await summariseMail()).toBe(true);
    await summarise(1);
    expect(await madeDays()).toEqual(allDays(1));
    expect(await drift()).toBe(0);
  });

  it("while its period was made without tags", async () => {
    await summariseDays();
    await select(
      "UPDATE summary_periods SET with_tags = false WHERE period_start = to_timestamp($1::float8 / 1000)",
      [FIRST_DAY + 2 * DAY_MS],
    );
    await tag(A, ["mail"]);
    await summariseMail();
    expect(await madeDays()).toEqual(madeExcept(2));
  });

  it("if retention removed its events", async () => {
    await summariseDays();
    await tag(A, ["mail"]);
    await dropOldClicks(runSql, { beforeMs: FIRST_DAY + DAY_MS, timeoutMs: TIMEOUT_MS });
    await summariseMail();
    expect(await madeDays()).toEqual(madeExcept(0));
    expect(await summariseMail()).toBe(true);
  });

  it("nor any other, if events are removed at the same time", async () => {
    await summariseDays();
    await tag(A, ["mail"]);
    await updateMemberships();
    await select(
      "DELETE FROM click_events WHERE event_id IN (SELECT min(event_id::text)::uuid FROM click_events WHERE link_id = $1)",
      [A],
    );
    await expect(summariseMail()).rejects.toMatchObject({ code: "23502" });
    expect(await select("SELECT FROM tag_periods")).toEqual([]);
    expect(await select("SELECT FROM tag_summaries")).toEqual([]);
    expect(await uncounted()).toEqual(["mail"]);
  });
});

describe("making days concurrently", () => {
  it("takes turns, and all rows are of one generation", async () => {
    await tag(A, ["mail"]);
    await summariseDays();
    await tag(B, ["mail"]);
    await Promise.all([
      summariseMail(),
      summarise(4),
      updateMemberships(),
      summariseMail({ maxClicks: 1 }),
      summarise(0),
      summarise(4),
      summariseMail(),
    ]);
    expect(await madeDays()).toEqual(allDays(2));
    expect(await drift()).toBe(0);
  });
});

describe("tags whose days have to be made", () => {
  it("are those whose links changed since all of their days were made", async () => {
    await summariseDays();
    await tag(A, ["mail"]);
    await tag(B, ["print"]);
    expect(await uncounted()).toEqual([]);
    await updateMemberships();
    await updateMemberships();
    expect(await uncounted()).toEqual(["mail", "print"]);
    while (!(await summariseMail())) {
      // Makes the next of its days.
    }
    expect(await uncounted()).toEqual(["print"]);
    await tag(B, ["mail"]);
    await updateMemberships();
    // Tags that were never made come first.
    expect(await uncounted()).toEqual(["print", "mail"]);
    expect(await uncounted(1)).toEqual(["print"]);
  });

  it("are those whose links had changed when a day was made", async () => {
    await tag(A, ["mail"]);
    await summariseDays();
    expect(await uncounted()).toEqual(["mail"]);
    expect(await summariseMail()).toBe(true);
    expect(await uncounted()).toEqual([]);
    await tag(B, ["mail"]);
    await summarise(2);
    expect(await uncounted()).toEqual(["mail"]);
  });

  it("belong to workspaces whose days are pre-aggregated", async () => {
    await summarise(0);
    await tag(A, ["mail"]);
    await tag(D, ["other"]);
    await updateMemberships();
    expect(await uncounted()).toEqual(["mail"]);
    await insert([
      { isolateId: "00c0ffee00000003", count: 1, row: () => ({ clickedAtMs: FIRST_DAY, linkId: D }) },
    ]);
    await summarise(0, OTHER_WORKSPACE);
    await updateMemberships();
    expect(await uncounted()).toEqual(["mail", "other"]);
  });

  it("are recorded link by link, each with its generations", async () => {
    await summarise(0);
    await tag(A, ["mail", "mail", "print"]);
    await updateMemberships();
    await tag(A, ["print"]);
    await tag(B, ["mail"]);
    await updateMemberships();
    expect(
      await select(`SELECT tag, slug AS link, from_generation AS first, to_generation AS end
        FROM tag_memberships JOIN links ON links.id = link_id ORDER BY tag, slug`),
    ).toEqual([
      { tag: "mail", link: "a", first: 1, end: 2 },
      { tag: "mail", link: "b", first: 2, end: null },
      { tag: "print", link: "a", first: 1, end: null },
    ]);
  });
});
