/** Clicks that are removed where they are counted in ClickHouse, or are being moved there or back. */
import { randomUUID } from "node:crypto";
import { removeClicks } from "@hopline/db/ledger/remove-clicks";
import type { RunTransaction } from "@hopline/db/neon-client";
import { toStatement } from "@hopline/db/sql";
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { beforeEach, describe, expect, it } from "vitest";

import { LINK_ID, T0 } from "../../db/test/click-batch.ts";
import { DAY_MS, TIMEOUT_MS, WORKSPACE } from "../../db/test/db-stage.ts";
import { compareStores } from "../src/compare-stores.ts";
import type { MoveDeps } from "../src/move/counting-mode.ts";
import { moveToClickHouse } from "../src/move/to-clickhouse.ts";
import { moveToPostgres } from "../src/move/to-postgres.ts";
import { useClickHouseStage } from "./clickhouse-stage.ts";

const GONE = randomUUID();

describe.skipIf(!HAS_CLICKHOUSE)(`Clicks that are removed${CLICKHOUSE_HINT}`, () => {
  const stage = useClickHouseStage();
  beforeEach(async () => {
    await stage.addLink(GONE, "gone");
    return async () => {
      await destroy();
      await stage.select("TRUNCATE live_streams");
    };
  });

  /** Two clicks of each link on each of two days. */
  const shapes = (atMs: number) =>
    [LINK_ID, GONE].map((linkId, isolate) => ({
      isolateId: `00c0ffee0000000${isolate + 1}`,
      count: 4,
      row: (index: number) => ({ linkId, clickedAtMs: atMs + Math.floor(index / 2) * DAY_MS + index }),
    }));
  /** Postgres gets the clicks as well. */
  const openStream = () =>
    stage.select(
      "INSERT INTO live_streams (id, workspace_id, ends_at) VALUES (gen_random_uuid(), $1, now() + interval '1 hour')",
      [WORKSPACE],
    );
  const destroy = () => stage.select("DELETE FROM links WHERE id = $1", [GONE]);
  const remove = (runTransaction: RunTransaction = stage.runTransaction) =>
    removeClicks(
      runTransaction,
      { workspaceId: WORKSPACE, linkId: GONE },
      {
        leaseId: randomUUID(),
        subtractLink: async () => undefined,
        timeoutMs: TIMEOUT_MS,
        endsAtMs: DAY_MS,
        nowMs: () => 0,
        fromDay: null,
      },
    );
  const eventsLeft = async () =>
    (
      await stage.select(
        "SELECT FROM click_events WHERE link_id = $1 OR visitor IS NOT NULL AND workspace_id IS NULL",
        [GONE],
      )
    ).length;
  const moveDeps = (change: Partial<MoveDeps> = {}): MoveDeps => ({
    runSql: (statement) => {
      const { text, parameters } = toStatement(statement);
      return stage.select(text, [...parameters]);
    },
    clickHouse: stage.clickHouse,
    timeoutMs: TIMEOUT_MS,
    onProgress: () => undefined,
    ...change,
  });

  it("are forgotten in Postgres as well, wherever the removal is cut off", async () => {
    await openStream();
    await stage.count(shapes(T0));
    expect(await eventsLeft()).toBe(4);
    await destroy();
    let outcome: unknown = null;
    for (let lives = 1; outcome === null; lives += 1) {
      let transactions = 0;
      const dying: RunTransaction = (...given) => {
        transactions += 1;
        return transactions > lives ? Promise.reject(new Error("killed")) : stage.runTransaction(...given);
      };
      outcome = await remove(dying).catch(() => null);
    }
    expect([outcome, await eventsLeft()]).toEqual([{ outcome: "kept out" }, 0]);
  });

  it("are removed where clicks are counted now, also by a removal that began before they moved", async () => {
    await stage.setMode("postgres");
    await stage.insert(shapes(T0));
    await destroy();
    const moving: RunTransaction = async (statements, ...given) => {
      if (statements.map(toStatement).some(({ text }) => text.includes("forget_clicks"))) {
        await moveToClickHouse(moveDeps());
      }
      return stage.runTransaction(statements, ...given);
    };
    // What has failed is tried again; what is done is not.
    const removal = await remove(moving).catch(() => remove());
    expect(removal).toEqual({ outcome: "kept out" });
    const range = { sinceMs: T0 - DAY_MS, untilMs: T0 + 3 * DAY_MS };
    expect(await compareStores(stage, range, TIMEOUT_MS)).toMatchObject({ different: 0 });
    expect(await eventsLeft()).toBe(0);
  });

  it("are not in ClickHouse if Postgres removed them after they were copied, be they of this minute", async () => {
    await stage.setMode("postgres");
    await stage.insert(shapes(Date.now() - DAY_MS - 60_000));
    await destroy();
    const { runSql } = moveDeps();
    const deps = moveDeps({
      runSql: async (statement, ...given) => {
        if (toStatement(statement).text.includes("SET mode = 'clickhouse'")) {
          expect(await stage.contents(`link_id = '${GONE}'`)).toEqual([4, 4]);
          expect(await remove()).toEqual({ outcome: "done" });
        }
        return runSql(statement, ...given);
      },
    });
    expect(await moveToClickHouse(deps)).toMatchObject({ different: 0 });
    expect(await stage.contents(`link_id = '${GONE}'`)).toEqual([0, 0]);
    expect(await stage.contents()).toEqual([4, 4]);
  });

  it("do not come back with a slice that was on its way to Postgres when they were removed", async () => {
    await stage.count(shapes(T0));
    let isRemoved = false;
    const deps = moveDeps({
      clickHouse: {
        ...stage.clickHouse,
        select: async (query, ...given) => {
          const found = await stage.clickHouse.select(query, ...given);
          if (query.includes("clicks FINAL") && !isRemoved) {
            isRemoved = true;
            await destroy();
            expect(await remove()).toEqual({ outcome: "kept out" });
          }
          return found;
        },
      },
    });
    expect(await moveToPostgres(deps)).toEqual([]);
    expect([isRemoved, await eventsLeft()]).toEqual([true, 0]);
    expect(await remove()).toEqual({ outcome: "done" });
    expect(await stage.select("SELECT FROM clickhouse_removals")).toEqual([]);
  });
});
