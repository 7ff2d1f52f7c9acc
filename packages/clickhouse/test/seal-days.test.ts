/** What a seal promises, with faults planted into ClickHouse. */
import { randomUUID } from "node:crypto";

import { removeClicks as disownClicks, type RemovedClicks } from "@hopline/db/ledger/remove-clicks";
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { beforeEach, describe, expect, it } from "vitest";

import { LINK_ID } from "../../db/test/click-batch.ts";
import { DAY_MS, HOUR_MS, TIMEOUT_MS, WORKSPACE } from "../../db/test/db-stage.ts";
import { findHeldFrom } from "../src/copy/find-held-from.ts";
import { SELECT_DAYS } from "../src/day-fingerprint.ts";
import { removeClicks } from "../src/remove-clicks.ts";
import { toDay, useClickHouseStage, YESTERDAY_MS } from "./clickhouse-stage.ts";

describe.skipIf(!HAS_CLICKHOUSE)(`A day in ClickHouse${CLICKHOUSE_HINT}`, () => {
  const stage = useClickHouseStage();
  const { insert, select, copy, count, days, execute } = stage;
  const CLICKS = 10;
  const range = { workspaceId: WORKSPACE, fromDay: toDay(YESTERDAY_MS - DAY_MS), toDay: toDay(Date.now()) };
  const readContents = () => stage.read(SELECT_DAYS, range);
  const plantDuplicate = () => execute("INSERT INTO clicks SELECT * FROM clicks ORDER BY event_id LIMIT 1");
  const plantGap = (which = "max(event_id)") =>
    execute(`DELETE FROM clicks WHERE event_id = (SELECT ${which} FROM clicks) SETTINGS mutations_sync = 2`);
  /** Beside the click that is duplicated. */
  const plantGapBeside = () => plantGap("arraySort(groupUniqArray(event_id))[2]");
  const isSealed = async () => (await days()).map(({ sealed }) => sealed);

  /** Two clicks on each of some days before the one of the others. */
  const insertBefore = (dayCount: number) =>
    insert(
      Array.from({ length: dayCount }, (_, index) => ({
        isolateId: `00c0ffee0000001${index}`,
        count: 2,
        row: () => ({ clickedAtMs: YESTERDAY_MS - (index + 1) * DAY_MS }),
      })),
    );
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
          row: (index) => ({ clickedAtMs: YESTERDAY_MS + Math.floor(index / 2) * HOUR_MS }),
        },
      ]);
      await copy();
    }
  });

  it.each([
    ["a duplicate", [plantDuplicate], [CLICKS + 1, CLICKS]],
    ["a missing click", [plantGap], [CLICKS - 1, CLICKS - 1]],
    ["a duplicate and a missing click together", [plantDuplicate, plantGap], [CLICKS, CLICKS - 1]],
    ["both in one quarter of an hour", [plantDuplicate, plantGapBeside], [CLICKS, CLICKS - 1]],
  ])(
    "has another fingerprint than its seal once there is %s, and is mended",
    async (_what, faults, found) => {
      const [sealed] = await select(
        "SELECT sealed_clicks::int AS clicks, fingerprint::text FROM clickhouse_days",
      );
      const content = { day: toDay(YESTERDAY_MS), ...sealed };
      expect(await readContents()).toEqual([content]);
      for (const plant of faults) {
        await plant();
      }
      expect(await count()).toEqual(found);
      const [changed] = await readContents();
      expect(changed?.["fingerprint"]).not.toBe(sealed?.["fingerprint"]);
      expect(await copy()).toEqual({ sealed: 1, wrong: 0, isBehind: false });
      expect(await count()).toEqual([CLICKS, CLICKS]);
      expect(await readContents()).toEqual([content]);
    },
  );

  it("is emptied together with all others that are wrong: each time parts of the table are written anew", async () => {
    await insertBefore(3);
    await copy();
    await execute("INSERT INTO clicks SELECT * FROM clicks ORDER BY event_id LIMIT 1 BY toDate(clicked_at)");
    let removals = 0;
    const watching = {
      ...stage.clickHouse,
      execute: (...statement: Parameters<typeof stage.clickHouse.execute>) => {
        removals += 1;
        return stage.clickHouse.execute(...statement);
      },
    };
    await copy({ clickHouse: watching });
    // One for each day, whatever the number of workspaces.
    expect(removals).toBe(4);
    expect(await isSealed()).toEqual([2, 2, 2, CLICKS]);
    expect(await count()).toEqual([CLICKS + 6, CLICKS + 6]);
  });

  it("is held in Postgres until it is sealed, and every day is until all were compared once", async () => {
    const held = () => findHeldFrom(stage.runSql, TIMEOUT_MS);
    expect(await held()).toBeNull();
    await select("UPDATE clickhouse_days SET sealed_clicks = NULL");
    expect(await held()).toBe(YESTERDAY_MS);
    // Retention began to remove it: it cannot be copied again.
    await select("INSERT INTO event_retention (kept_from) VALUES ($1)", [toDay(YESTERDAY_MS + DAY_MS)]);
    expect(await held()).toBeNull();
    await select("DELETE FROM work");
    expect(await held()).toBe(0);
  });

  it("reads its fingerprint from the projection, not from the clicks", async () => {
    const explained = await stage.read(`EXPLAIN ${SELECT_DAYS}`, range);
    expect(JSON.stringify(explained)).toContain("ReadFromMergeTree (days)");
  });

  it("may be asked for in a statement longer than the usual limit, as of a tag with many links", async () => {
    const ids = Array.from({ length: 20_000 }, () => randomUUID());
    const [row] = await stage.read(`SELECT length(splitByChar(',', '${ids.join(",")}')) AS ids`);
    expect(row).toEqual({ ids: 20_000 });
  });

  it("is emptied if only ClickHouse has it, as while a deletion is cut off", async () => {
    await execute(
      "INSERT INTO clicks SELECT * REPLACE (clicked_at - toIntervalDay(5) AS clicked_at) FROM clicks",
    );
    expect(await count()).toEqual([2 * CLICKS, CLICKS]);
    expect(await copy()).toEqual({ sealed: 1, wrong: 0, isBehind: false });
    expect(await count()).toEqual([CLICKS, CLICKS]);
    expect(await copy()).toEqual({ sealed: 0, wrong: 0, isBehind: false });
  });

  it("is never emptied when Postgres could not fill it again", async () => {
    await select(
      "DELETE FROM click_events WHERE event_id = (SELECT event_id FROM click_events ORDER BY 1 LIMIT 1)",
    );
    await plantDuplicate();
    expect(await copy()).toEqual({ sealed: 0, wrong: 1, isBehind: false });
    expect(await count()).toEqual([CLICKS + 1, CLICKS]);
  });

  it("is not emptied while retention removes clicks, which might be its own", async () => {
    await plantDuplicate();
    await select(
      "INSERT INTO work (kind, key, lease, due_at) VALUES ('retention', 'all', $1, now() + interval '1 minute')",
      [randomUUID()],
    );
    expect(await copy()).toEqual({ sealed: 0, wrong: 1, isBehind: false });
    expect(await count()).toEqual([CLICKS + 1, CLICKS]);
    await select("DELETE FROM work WHERE kind = 'retention'");
    expect(await copy()).toEqual({ sealed: 1, wrong: 0, isBehind: false });
  });

  it("is sealed again with a click that came after retention had removed the others", async () => {
    await select("INSERT INTO event_retention (kept_from) VALUES ($1)", [toDay(YESTERDAY_MS + DAY_MS)]);
    await select("DELETE FROM click_events");
    await insert([{ isolateId: "00c0ffee00000009", count: 1, row: () => ({ clickedAtMs: YESTERDAY_MS }) }]);
    expect(await copy()).toEqual({ sealed: 1, wrong: 0, isBehind: false });
    expect(await count()).toEqual([CLICKS + 1, CLICKS + 1]);
    expect(await copy()).toEqual({ sealed: 0, wrong: 0, isBehind: false });
  });

  it("is not sealed while clicks are removed from it, even if as many come late", async () => {
    await disown({ workspaceId: WORKSPACE, linkId: LINK_ID });
    const link = randomUUID();
    await stage.addLink(link, "late");
    const row = () => ({ linkId: link, clickedAtMs: YESTERDAY_MS });
    await insert([{ isolateId: "00c0ffee00000002", count: CLICKS, row }]);
    expect(await isSealed()).toEqual([null]);
    await copy();
    expect([await isSealed(), await count(`link_id = '${link}'`)]).toEqual([[CLICKS], [CLICKS, CLICKS]]);
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
    await copy();
    expect(await isSealed()).toEqual([CLICKS + 7]);
    const remove = async (removed: RemovedClicks, left: number) => {
      await disown(removed);
      // ClickHouse has more than the rollups now: nothing is answered from it until it is sealed again.
      const [{ rolled } = {}] = await select("SELECT sum(clicks)::int AS rolled FROM workspace_rollups");
      expect(rolled).toBe(left);
      await removeClicks(stage.clickHouse, removed, TIMEOUT_MS);
      await copy();
      expect([await isSealed(), await count()]).toEqual([[left], [left, left]]);
    };
    await remove({ workspaceId: WORKSPACE, linkId: second }, CLICKS + 3);
    await select("INSERT INTO event_retention (kept_from) VALUES ($1)", [toDay(YESTERDAY_MS + DAY_MS)]);
    await select("DELETE FROM click_events");
    await remove({ workspaceId: WORKSPACE, domainId }, CLICKS);
    await disown({ workspaceId: WORKSPACE });
    await removeClicks(stage.clickHouse, { workspaceId: WORKSPACE }, TIMEOUT_MS);
    expect([await isSealed(), await count(), await readContents()]).toEqual([[], [0, 0], []]);
  });
});
