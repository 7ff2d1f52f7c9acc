/** What a seal promises, with faults planted into ClickHouse. */
import { randomUUID } from "node:crypto";

import { removeClicks as disownClicks, type RemovedClicks } from "@hopline/db/ledger/remove-clicks";
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { beforeEach, describe, expect, it } from "vitest";

import { DAY_MS, TIMEOUT_MS, WORKSPACE } from "../../db/test/db-stage.ts";
import { findHeldFrom } from "../src/copy/find-held-from.ts";
import { readDayContents } from "../src/day-fingerprint.ts";
import { removeClicks } from "../src/remove-clicks.ts";
import { toDay, useClickHouseStage, YESTERDAY_MS } from "./clickhouse-stage.ts";

describe.skipIf(!HAS_CLICKHOUSE)(`A day in ClickHouse${CLICKHOUSE_HINT}`, () => {
  const stage = useClickHouseStage();
  const { insert, select, copy, count, days, execute } = stage;
  const CLICKS = 10;
  const range = { workspaceId: WORKSPACE, fromDay: toDay(YESTERDAY_MS - DAY_MS), toDay: toDay(Date.now()) };
  const readContents = () => readDayContents(stage.clickHouse, range, TIMEOUT_MS);
  const plantDuplicate = () => execute("INSERT INTO clicks SELECT * FROM clicks ORDER BY event_id LIMIT 1");
  const plantGap = () =>
    execute(
      "DELETE FROM clicks WHERE event_id = (SELECT max(event_id) FROM clicks) SETTINGS mutations_sync = 2",
    );
  const isSealed = async () => (await days()).map(({ sealed }) => sealed);
  const unseal = () => select("UPDATE clickhouse_days SET sealed_clicks = NULL, due_at = now()");
  /** Until the copier has looked at it so often that it copies it again. */
  const compareOften = async () => {
    for (let run = 0; run < 3; run += 1) {
      await stage.makeDue();
      await copy();
    }
  };

  /** Two clicks on each of some days before the one of the others. */
  const insertBefore = (dayCount: number) =>
    insert(
      Array.from({ length: dayCount }, (_, index) => ({
        isolateId: `00c0ffee0000001${index}`,
        count: 2,
        row: () => ({ clickedAtMs: YESTERDAY_MS - (index + 1) * DAY_MS }),
      })),
    );
  /** Finds the days that have changed, then seals them. */
  const compare = async () => {
    await copy();
    await stage.makeDue();
    await copy();
  };
  /** In Postgres. */
  const disown = async (removed: RemovedClicks) => {
    const endsAtMs = performance.now() + TIMEOUT_MS;
    const times = { timeoutMs: TIMEOUT_MS, endsAtMs, nowMs: () => performance.now() };
    const options = { ...times, leaseId: randomUUID(), fromDay: null };
    expect(await disownClicks(stage.runTransaction, removed, options)).toEqual({ outcome: "done" });
  };

  beforeEach(async () => {
    if (HAS_CLICKHOUSE) {
      // A merge would remove a duplicate before it is looked for.
      await execute("ALTER TABLE clicks MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1");
      await insert([
        {
          count: CLICKS,
          row: (index) => ({ clickedAtMs: YESTERDAY_MS + index * 3_600_000 }),
        },
      ]);
      await copy();
    }
  });

  it.each([
    ["a duplicate", [plantDuplicate], [CLICKS + 1, CLICKS]],
    ["a missing click", [plantGap], [CLICKS - 1, CLICKS - 1]],
    ["a duplicate and a missing click together", [plantDuplicate, plantGap], [CLICKS, CLICKS - 1]],
  ])("is not sealed with %s, and is copied again", async (_what, faults, found) => {
    await unseal();
    for (const plant of faults) {
      await plant();
    }
    expect(await count()).toEqual(found);
    await copy();
    expect(await isSealed()).toEqual([null]);
    await compareOften();
    expect(await isSealed()).toEqual([CLICKS]);
    expect(await count()).toEqual([CLICKS, CLICKS]);
  });

  it.each([
    ["a duplicate", [plantDuplicate]],
    ["a missing click", [plantGap]],
    ["a duplicate and a missing click together", [plantDuplicate, plantGap]],
  ])("has another fingerprint than its seal once there is %s", async (_what, faults) => {
    const [sealed] = await select(
      "SELECT sealed_clicks::int AS clicks, fingerprint::text FROM clickhouse_days",
    );
    expect((await readContents()).get(toDay(YESTERDAY_MS))).toEqual(sealed);
    for (const plant of faults) {
      await plant();
    }
    expect((await readContents()).get(toDay(YESTERDAY_MS))?.fingerprint).not.toBe(sealed?.["fingerprint"]);
  });

  it("is removed together with all others that are wrong: many do not take the copier's whole minute", async () => {
    await insertBefore(3);
    await copy();
    await execute("INSERT INTO clicks SELECT * FROM clicks ORDER BY event_id LIMIT 1 BY toDate(clicked_at)");
    await select("UPDATE clickhouse_days SET sealed_clicks = NULL, attempts = 2, due_at = now()");
    let removals = 0;
    const watching = {
      ...stage.clickHouse,
      execute: (...statement: Parameters<typeof stage.clickHouse.execute>) => {
        removals += 1;
        return stage.clickHouse.execute(...statement);
      },
    };
    await copy({ clickHouse: watching });
    expect(removals).toBe(1);
    expect(await isSealed()).toEqual([2, 2, 2, CLICKS]);
    expect(await count()).toEqual([CLICKS + 6, CLICKS + 6]);
  });

  it("stays sealed when it is from before the oldest click that there was when copying began", async () => {
    await insertBefore(1);
    await copy();
    for (let run = 0; run < 2; run += 1) {
      await stage.makeDue();
      await copy();
      expect(await isSealed()).toEqual([2, CLICKS]);
    }
  });

  it("is held in Postgres until it is sealed, and every day is before the first copy", async () => {
    const held = () => findHeldFrom(stage.runSql, TIMEOUT_MS);
    expect(await held()).toBeNull();
    await unseal();
    expect(await held()).toBe(YESTERDAY_MS);
    // Retention began to remove it: it cannot be copied again.
    await select("INSERT INTO event_retention (kept_from) VALUES ($1)", [toDay(YESTERDAY_MS + DAY_MS)]);
    expect(await held()).toBeNull();
    await select("TRUNCATE clickhouse_copy");
    expect(await held()).toBe(0);
  });

  it("reads its fingerprint from the projection, not from the clicks", async () => {
    await readContents();
    const explained = await stage.read(
      `EXPLAIN SELECT toDate(quarter) AS day, count(), sum(cityHash64(event_id)) FROM clicks
       WHERE workspace_id = {workspace:UUID} AND toDate(quarter) >= '2020-01-01'
       GROUP BY workspace_id, toDate(quarter)`,
      { workspace: WORKSPACE },
    );
    expect(JSON.stringify(explained)).toContain("ReadFromMergeTree (days)");
  });

  it("is never emptied when Postgres could not fill it again", async () => {
    await select("DELETE FROM click_events WHERE event_id = (SELECT event_id FROM click_events LIMIT 1)");
    await unseal();
    await plantDuplicate();
    await compareOften();
    expect(await isSealed()).toEqual([null]);
    expect(await count()).toEqual([CLICKS + 1, CLICKS]);
  });

  it("is found by comparing when clicks came too late for the copy by transaction", async () => {
    const longAgo = YESTERDAY_MS - 30 * DAY_MS;
    await select("UPDATE clickhouse_copy SET since_day = $1::date", [toDay(longAgo)]);
    await insert([{ isolateId: "00c0ffee00000009", count: 3, row: () => ({ clickedAtMs: longAgo }) }]);
    await copy();
    expect(await isSealed()).toEqual([null, CLICKS]);
    await compareOften();
    expect(await isSealed()).toEqual([3, CLICKS]);
  });

  it("loses the clicks that were deleted in Postgres", async () => {
    await select("DELETE FROM click_events");
    await select("DELETE FROM workspace_rollups");
    await copy();
    await compareOften();
    expect(await count()).toEqual([0, 0]);
  });

  it("loses the clicks of a link, a domain or a workspace that were deleted, also those past retention, and is sealed without them", async () => {
    const [second, third, domainId] = [randomUUID(), randomUUID(), randomUUID()];
    await select(
      "INSERT INTO domains (id, workspace_id, host, proof) VALUES ($1, $2, 'c.example', 'vouched')",
      [domainId, WORKSPACE],
    );
    await stage.addLink(second, "b");
    await stage.addLink(third, "c", { domain: domainId });
    const row = (linkId: string) => (at: number) => ({ linkId, clickedAtMs: YESTERDAY_MS + at * 3_600_000 });
    await insert([
      { isolateId: "00c0ffee00000002", count: 4, row: row(second) },
      { isolateId: "00c0ffee00000003", count: 3, row: row(third) },
    ]);
    await compare();
    expect(await isSealed()).toEqual([CLICKS + 7]);
    const remove = async (removed: RemovedClicks, left: number) => {
      await disown(removed);
      // ClickHouse has more than the rollups now: nothing is answered from it until it is sealed again.
      const [{ rolled } = {}] = await select("SELECT sum(clicks)::int AS rolled FROM workspace_rollups");
      expect(rolled).toBe(left);
      await removeClicks(stage.clickHouse, removed, TIMEOUT_MS);
      await compare();
      expect([await isSealed(), await count()]).toEqual([[left], [left, left]]);
    };
    await remove({ workspaceId: WORKSPACE, linkId: second }, CLICKS + 3);
    await select("INSERT INTO event_retention (kept_from) VALUES ($1)", [toDay(YESTERDAY_MS + DAY_MS)]);
    await select("DELETE FROM click_events");
    await remove({ workspaceId: WORKSPACE, domainId }, CLICKS);
    await disown({ workspaceId: WORKSPACE });
    await removeClicks(stage.clickHouse, { workspaceId: WORKSPACE }, TIMEOUT_MS);
    expect([await isSealed(), await count(), await readContents()]).toEqual([[], [0, 0], new Map()]);
  });
});
