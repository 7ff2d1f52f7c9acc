/** Clicks that are removed on request: nobody can read them any more, nobody else's are touched, and everything still adds up. */
import { randomUUID } from "node:crypto";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import { findLedgerTotals } from "@hopline/db/ledger/find-ledger-totals";
import { reconcile } from "@hopline/db/ledger/reconcile";
import { removeClicks, type RemovedClicks, type RemoveOptions } from "@hopline/db/ledger/remove-clicks";
import type { RunTransaction } from "@hopline/db/neon-client";
import { toStatement } from "@hopline/db/sql";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { LINK_ID } from "../../../db/test/click-batch.ts";
import { DAY_MS, DOMAIN, HOUR_MS, TIMEOUT_MS, useDbStage, WORKSPACE } from "../../../db/test/db-stage.ts";
import { transactionsOver } from "../../../db/test/transactions-over.ts";
import { CLICK_DIMENSIONS, columnOf } from "../../src/dimension.ts";
import { findDrift } from "../../src/cube/find-drift.ts";
import { linkSubtraction } from "../../src/cube/subtract-link.ts";
import { makeDay } from "../../src/cube/make-day.ts";

const DAY = Date.UTC(2026, 0, 20);
const [SECOND, THIRD, THEIRS] = [randomUUID(), randomUUID(), randomUUID()];
const [OTHER_DOMAIN, OTHER_WORKSPACE, THEIR_DOMAIN] = [randomUUID(), randomUUID(), randomUUID()];
const LINK = { workspaceId: WORKSPACE, linkId: LINK_ID };

const { select, insert, emptyClicks, runTransaction, runAs, addLink, addWorkspace } = useDbStage();

beforeAll(async () => {
  await addWorkspace(OTHER_WORKSPACE, THEIR_DOMAIN);
  await select(
    "INSERT INTO domains (id, workspace_id, host, proof) VALUES ($1, $2, 'b.example', 'vouched')",
    [OTHER_DOMAIN, WORKSPACE],
  );
  await addLink(SECOND, "b");
  await addLink(THIRD, "c", { domain: OTHER_DOMAIN });
  await addLink(THEIRS, "d", { workspace: OTHER_WORKSPACE, domain: THEIR_DOMAIN });
});
beforeEach(emptyClicks);

type ClickChange = Partial<ClickRow> & { readonly fromMs?: number };
let isolates = 0;
/** Clicks of one link, on two days. */
const click = (linkId: string, count: number, { fromMs = DAY, ...change }: ClickChange = {}) => {
  isolates += 1;
  const row = (index: number) => ({
    linkId,
    clickedAtMs: fromMs + (index % 20) * 2 * HOUR_MS + index,
    class: index % 5 === 0 ? "bot" : "human",
    destination: "https://example.com/",
    visitor: `00000000-0000-4000-8000-00000000000${index % 6}`,
    ...change,
  });
  return insert([{ isolateId: `00c0ffee0009${String(isolates).padStart(4, "0")}`, count, row }]);
};
const fillClicks = async () => {
  await click(LINK_ID, 60);
  await click(SECOND, 40);
  await click(THIRD, 30);
  await click(THEIRS, 20);
};
const fill = async () => {
  await fillClicks();
  await makeDays([WORKSPACE, OTHER_WORKSPACE]);
};
/** Of all clicks: those above the oldest open transaction, of another test file too, would be left for the next slice. */
const makeDays = async (workspaces = [WORKSPACE], nowMs = Date.now()) => {
  await transactionsOver(select);
  for (const workspaceId of workspaces) {
    for (const dayMs of [DAY, DAY + DAY_MS]) {
      const options = { timeoutMs: TIMEOUT_MS, nowMs, openClicks: 2, mostOpenClicks: 20 };
      while ((await makeDay(runTransaction, { workspaceId, dayMs }, options))?.againInSeconds === 0) {
        // A slice at a time.
      }
    }
  }
};
/** A slice of what is there while the first day runs, and clicks that came since. */
const runDay = async () => {
  await select("TRUNCATE click_cube, cube_days, cube_visitors");
  await makeDays([WORKSPACE], DAY + HOUR_MS);
  expect(await select("SELECT FROM cube_visits")).not.toEqual([]);
  await click(SECOND, 10);
};

type Change = Partial<Pick<RemoveOptions, "fromDay" | "sliceClicks">>;
const remove = (removed: RemovedClicks, change: Change = {}, run: RunTransaction = runTransaction) =>
  removeClicks(run, removed, {
    leaseId: randomUUID(),
    subtractLink: linkSubtraction(run, TIMEOUT_MS),
    timeoutMs: TIMEOUT_MS,
    endsAtMs: performance.now() + TIMEOUT_MS,
    nowMs: () => performance.now(),
    fromDay: null,
    ...change,
  });

/** Clicks by link, as far as the workspace's rows tell; the same from its rollups; and from days of the cube that are used. */
const numbers = async (workspaceId = WORKSPACE) => {
  const [row] = await select(
    `SELECT
      (SELECT json_object_agg(link_id, clicks) FROM (SELECT link_id, count(*) AS clicks FROM click_events
        WHERE workspace_id = $1 GROUP BY 1) AS event) AS events,
      (SELECT sum(clicks)::int FROM workspace_rollups WHERE workspace_id = $1) AS rollups,
      (SELECT sum(clicks)::int FROM cube_days WHERE workspace_id = $1) AS cube`,
    [workspaceId],
  );
  return row;
};
const RANGE = { sinceMs: DAY - DAY_MS, untilMs: DAY + 3 * DAY_MS };
const addsUp = async () =>
  reconcile(await findLedgerTotals(runAs("hopline_reader"), RANGE, TIMEOUT_MS)).addsUp;
const drift = () => findDrift(runAs("hopline_reader"), RANGE, TIMEOUT_MS);

/** Where TimescaleDB can. */
const compress = () =>
  select(`DO $$ BEGIN
    IF current_setting('timescaledb.license', true) = 'timescale' THEN
      PERFORM compress_chunk(chunk) FROM show_chunks('click_events') AS chunk;
    END IF;
  END $$`);

const OF_DOMAIN = { workspaceId: WORKSPACE, domainId: DOMAIN };

it.each<[string, RemovedClicks, object, () => Promise<unknown>]>([
  ["a link's clicks", LINK, { [SECOND]: 40, [THIRD]: 30 }, async () => null],
  ["a domain's clicks", OF_DOMAIN, { [THIRD]: 30 }, async () => null],
  ["a link's clicks of a running day", LINK, { [SECOND]: 50, [THIRD]: 30 }, runDay],
  ["clicks in compressed chunks", OF_DOMAIN, { [THIRD]: 30 }, compress],
])("%s leave the workspace's numbers, and nobody else's", async (_what, removed, left, change) => {
  await fill();
  await change();
  const theirs = await numbers(OTHER_WORKSPACE);
  expect(await remove(removed, { sliceClicks: 25 })).toEqual({ outcome: "done" });
  expect(await addsUp()).toBe(true);
  expect(await select("SELECT FROM cube_visits WHERE link_id = $1", [LINK_ID])).toEqual([]);
  await makeDays();
  const rest = Object.values(left).reduce((sum: number, clicks) => sum + Number(clicks), 0);
  expect(await numbers()).toEqual({ events: left, rollups: rest, cube: rest });
  expect(await numbers(OTHER_WORKSPACE)).toEqual(theirs);
  expect([await addsUp(), await drift()]).toEqual([true, 0]);
});

it("a workspace's clicks leave no row of it, and days that are made again have none", async () => {
  await fill();
  expect(await remove({ workspaceId: WORKSPACE })).toEqual({ outcome: "done" });
  await makeDays();
  for (const table of ["click_events", "click_rollups", "workspace_rollups", "click_cube", "cube_days"]) {
    const rows = await select(`SELECT FROM ${table} WHERE workspace_id = $1`, [WORKSPACE]);
    expect([table, rows.length]).toEqual([table, 0]);
  }
  expect(await numbers(OTHER_WORKSPACE)).toMatchObject({ events: { [THEIRS]: 20 }, cube: 20 });
  expect(await addsUp()).toBe(true);
});

it("what is left of a removed click says when and of which class, and nothing else", async () => {
  const texts = ["ruleId", "variantId", "utmSource", "utmMedium", "utmCampaign", "utmTerm", "utmContent"];
  const row = { linkId: LINK_ID, clickedAtMs: DAY, destination: "https://example.com/" };
  await insert([
    { count: 1, row: () => ({ ...row, ...Object.fromEntries(texts.map((name) => [name, "text"])) }) },
  ]);
  const [{ before = {} } = {}] = await select("SELECT to_jsonb(click_events) AS before FROM click_events");
  // A column that is added to clicks has to be forgotten as well.
  expect(Object.entries(before ?? {}).filter(([, value]) => value === null)).toEqual([]);
  await remove(LINK);
  expect(
    await select(
      "SELECT jsonb_strip_nulls(to_jsonb(click_events) - 'inserted_xid') AS after FROM click_events",
    ),
  ).toEqual([
    {
      after: {
        event_id: Object(before).event_id,
        clicked_at: Object(before).clicked_at,
        link_id: "00000000-0000-0000-0000-000000000000",
        link_version: 1,
        source: "",
        class: "human",
      },
    },
  ]);
  for (const table of ["link_totals", "click_rollups"]) {
    expect(await select(`SELECT FROM ${table} WHERE link_id = $1`, [LINK_ID])).toEqual([]);
  }
});

it("a click keeps no column that nothing reads", async () => {
  const rows = await select(
    "SELECT attname FROM pg_attribute WHERE attrelid = 'click_events'::regclass AND attnum > 0 AND NOT attisdropped",
  );
  const counted = ["event_id", "clicked_at", "link_version", "workspace_id", "visitor", "inserted_xid"];
  const read = [...CLICK_DIMENSIONS.map(columnOf), ...counted];
  expect(rows.map(({ attname }) => String(attname)).toSorted()).toEqual(read.toSorted());
});

it("a removed click that is delivered again is not counted again", async () => {
  const again = () =>
    insert([{ isolateId: "00c0ffee00099999", count: 10, row: (index) => ({ clickedAtMs: DAY + index }) }]);
  expect(await again()).toBe(10);
  await remove(LINK);
  expect(await again()).toBe(0);
  expect(await numbers()).toEqual({ events: null, rollups: null, cube: null });
  expect(await addsUp()).toBe(true);
});

it("a removal that dies after any statement is continued by the next one, and everything adds up in between", async () => {
  const fails = async (after: number): Promise<boolean> => {
    let runs = 0;
    const dying: RunTransaction = async (...statements) => {
      runs += 1;
      if (runs > after) {
        throw new Error("killed");
      }
      return runTransaction(...statements);
    };
    return remove(LINK, { sliceClicks: 7 }, dying).then(
      () => false,
      () => true,
    );
  };
  await fill();
  for (let after = 1; await fails(after); after += 9) {
    expect(await addsUp()).toBe(true);
    // The lease of the one that died ends.
    await select("UPDATE work SET due_at = now()");
  }
  await makeDays();
  expect(await numbers()).toEqual({ events: { [SECOND]: 40, [THIRD]: 30 }, rollups: 70, cube: 70 });
  expect(await addsUp()).toBe(true);
});

it("a late click of a deleted link belongs to no workspace, during the removal and after it", async () => {
  const late = randomUUID();
  await addLink(late, "late");
  await click(late, 30);
  await select("DELETE FROM links WHERE id = $1", [late]);
  await click(late, 3);
  const removed = { workspaceId: WORKSPACE, linkId: late };
  const cut: RunTransaction = async (...statements) => {
    const rows = await runTransaction(...statements);
    if (statements[0].some((one) => toStatement(one).text.includes("forget_clicks"))) {
      await click(late, 2, { fromMs: DAY + 3 * HOUR_MS });
      throw new Error("killed");
    }
    return rows;
  };
  await expect(remove(removed, { sliceClicks: 10 }, cut)).rejects.toThrow("killed");
  await select("UPDATE work SET due_at = now()");
  expect(await remove(removed)).toEqual({ outcome: "done" });
  await click(late, 4);
  expect(await numbers()).toMatchObject({ events: null, rollups: null });
  expect(await addsUp()).toBe(true);
});

it("a late click of a removed link joins no count that has an owner, so that removing a domain's clicks makes none negative", async () => {
  const late = randomUUID();
  await addLink(late, "late-of-domain", { domain: OTHER_DOMAIN });
  await click(late, 10);
  await select("DELETE FROM links WHERE id = $1", [late]);
  await click(late, 3);
  expect(await select("SELECT sum(clicks)::int AS n FROM click_rollups WHERE link_id = $1", [late])).toEqual([
    { n: 10 },
  ]);
  expect(await remove({ workspaceId: WORKSPACE, domainId: OTHER_DOMAIN })).toEqual({ outcome: "done" });
  expect(
    await select("SELECT FROM workspace_rollups WHERE clicks < 0 OR domain_id = $1", [OTHER_DOMAIN]),
  ).toEqual([]);
  expect(await addsUp()).toBe(true);
});

it("a count that has fewer clicks than a removal would take from it is an error, and the slice changes nothing", async () => {
  await click(LINK_ID, 10);
  await click(LINK_ID, 10);
  for (const table of ["click_rollups", "workspace_rollups"]) {
    await select(`UPDATE ${table} SET clicks = clicks - 1`);
    const before = await numbers();
    await expect(remove(LINK)).rejects.toThrow(`${table}_at_least_zero`);
    expect(await numbers()).toEqual(before);
    await select(`UPDATE ${table} SET clicks = clicks + 1`);
    await select("UPDATE work SET due_at = now()");
  }
  expect(await remove(LINK)).toEqual({ outcome: "done" });
  expect(await addsUp()).toBe(true);
});

it("a day that is being pre-aggregated is left alone until that is done", async () => {
  await fillClicks();
  await select(
    "UPDATE work SET lease = gen_random_uuid(), due_at = now() + interval '1 minute' WHERE kind = 'summary' AND key = $1",
    [`${WORKSPACE}/2026-01-20`],
  );
  expect(await remove(LINK)).toEqual({ outcome: "waiting", fromDay: "2026-01-20" });
  expect(await numbers()).toMatchObject({ events: { [LINK_ID]: 60 } });
});

it.each([
  ["over", DAY + 2 * DAY_MS],
  ["running", DAY + HOUR_MS],
])(
  "deleting a link's clicks leaves a day that is %s in use at every moment, and counts nothing of other links again",
  async (_state, nowMs) => {
    const linkId = randomUUID();
    await addLink(linkId, linkId);
    await fillClicks();
    await click(linkId, 25, { destination: null });
    await makeDays([WORKSPACE], nowMs);
    await select("DELETE FROM links WHERE id = $1", [linkId]);
    await select("INSERT INTO removed_destinations VALUES ($1, 1, 'https://example.com/')", [linkId]);
    const ofOthers = () =>
      select(
        `SELECT scope_value, day, slice, class, xmin::text FROM click_cube
         WHERE scope = 'link_id' AND scope_value <> $1 AND workspace_id = $2 ORDER BY 1, 2, 3, 4`,
        [linkId, WORKSPACE],
      );
    const before = [await numbers(), await ofOthers()];
    const isUsed: boolean[] = [];
    const watched: RunTransaction = async (...statements) => {
      const rows = await runTransaction(...statements);
      const { rollups, cube } = (await numbers()) ?? {};
      isUsed.push(Number(cube) > 0 && cube === rollups);
      return rows;
    };
    const removed = { workspaceId: WORKSPACE, linkId };
    expect(await remove(removed, { sliceClicks: 10 }, watched)).toEqual({ outcome: "done" });
    expect(await select("SELECT FROM removed_destinations")).toEqual([]);
    expect(new Set(isUsed)).toEqual(new Set([true]));
    expect(await ofOthers()).toEqual(before[1]);
    expect([await addsUp(), await drift(), (await numbers())?.["cube"]]).toEqual([true, 0, 130]);
    await makeDays();
    expect(await select("SELECT FROM cube_days WHERE clicks <= 0")).toEqual([]);
    expect([await addsUp(), await drift(), (await numbers())?.["cube"]]).toEqual([true, 0, 130]);
  },
);

it("late clicks of a removed link take no visitor out of a day that had not counted theirs yet", async () => {
  await fillClicks();
  await makeDays();
  await click(LINK_ID, 3, { visitor: randomUUID() });
  expect(await remove(LINK)).toEqual({ outcome: "done" });
  const ofDay = [WORKSPACE, new Date(DAY), new Date(DAY + DAY_MS)];
  const there = await select(
    `SELECT count(*)::int AS clicks, count(DISTINCT visitor)::int AS visitors FROM click_events
     WHERE workspace_id = $1 AND clicked_at >= $2 AND clicked_at < $3`,
    ofDay,
  );
  const counted = await select(
    `SELECT sum(day_clicks)::int AS clicks, sum((SELECT sum(n) FROM unnest(first_visitors) AS n))::int AS visitors
     FROM cube_visitors WHERE workspace_id = $1 AND day >= $2 AND day < $3 AND scope = '' AND NOT of_humans`,
    ofDay,
  );
  expect(counted).toEqual(there);
});

it("a day made of removed clicks is not used, even if as many late ones make up the number", async () => {
  await fill();
  const before = (await numbers())?.["rollups"];
  await remove(LINK);
  await click(SECOND, 60);
  expect((await numbers())?.["rollups"]).toBe(before);
  expect((await numbers())?.["cube"]).toBe(Number(before) - 60);
  // A transaction of another test on the same server holds late clicks back.
  await makeDays();
  expect([await addsUp(), await drift()]).toEqual([true, 0]);
});

it("of days past retention the workspace keeps its sums, and nothing of the link", async () => {
  await fill();
  await select("INSERT INTO event_retention (kept_from) VALUES ($1)", [new Date(DAY + DAY_MS)]);
  await select("DELETE FROM click_events WHERE clicked_at < $1", [new Date(DAY + DAY_MS)]);
  const sums =
    "SELECT sum(clicks)::int AS clicks FROM workspace_rollups WHERE workspace_id = $1 AND bucket_start < $2";
  const before = await select(sums, [WORKSPACE, new Date(DAY + DAY_MS)]);
  expect(await remove(LINK)).toEqual({ outcome: "done" });
  expect(await select(sums, [WORKSPACE, new Date(DAY + DAY_MS)])).toEqual(before);
  expect(await select("SELECT FROM click_rollups WHERE link_id = $1", [LINK_ID])).toEqual([]);
  expect(
    await select("SELECT FROM click_cube WHERE scope = 'link_id' AND scope_value = $1", [LINK_ID]),
  ).toEqual([]);
  expect((await numbers())?.["events"]).not.toHaveProperty(LINK_ID);
});

it("two removals at once, while clicks of the same links and days come, subtract each click once", async () => {
  await fillClicks();
  const writers = Array.from({ length: 12 }, (_, index) => click(index % 2 === 0 ? LINK_ID : SECOND, 40));
  const removals = [5, 9].map((sliceClicks) => remove(LINK, { sliceClicks }));
  const [outcomes] = await Promise.all([Promise.all(removals), ...writers]);
  expect(outcomes.map(({ outcome }) => outcome)).toContain("done");
  await remove(LINK);
  expect(await numbers()).toMatchObject({ events: { [SECOND]: 280, [THIRD]: 30 }, rollups: 310 });
  expect(await addsUp()).toBe(true);
});
