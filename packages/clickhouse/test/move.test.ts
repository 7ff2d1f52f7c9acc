/** From Postgres to ClickHouse and back with clicks arriving, killed after any step and run again. */
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { toStatement } from "@hopline/db/sql";
import { describe, expect, it } from "vitest";

import { IS_FULL } from "../../core/test/runs.ts";
import { T0 } from "../../db/test/click-batch.ts";
import { TIMEOUT_MS, WORKSPACE } from "../../db/test/db-stage.ts";
import { compareStores } from "../src/compare-stores.ts";
import type { MoveDeps } from "../src/move/counting-mode.ts";
import { moveToClickHouse } from "../src/move/to-clickhouse.ts";
import { moveToPostgres } from "../src/move/to-postgres.ts";
import { useClickHouseStage } from "./clickhouse-stage.ts";

const RANGE = { sinceMs: T0 - 86_400_000, untilMs: T0 + 86_400_000 };
const KILLED = new Error("killed");

describe.skipIf(!HAS_CLICKHOUSE)(`A move of all clicks${CLICKHOUSE_HINT}`, () => {
  const stage = useClickHouseStage("postgres");
  let sequence = 1;
  let clicks = 0;

  /** Two clicks, counted where clicks are counted now. A stream is open, so Postgres gets them in any mode. */
  const click = async (): Promise<void> => {
    const shape = {
      first: sequence,
      count: 2,
      row: (index: number) => ({ clickedAtMs: T0 + index * 900_000 }),
    };
    sequence += 2;
    clicks += await stage.count([shape]).catch(() => stage.insert([shape]));
  };

  /** Resolves to whether it came to its end. Clicks arrive before every third step. */
  const move = async (
    work: (deps: MoveDeps) => Promise<unknown>,
    killedAfter: number | null = null,
  ): Promise<boolean> => {
    let steps = 0;
    const step = async <T>(run: () => Promise<T>): Promise<T> => {
      steps += 1;
      if (steps % 3 === 0) {
        await click();
      }
      const result = await run();
      if (steps === killedAfter) {
        throw KILLED;
      }
      return result;
    };
    const { clickHouse } = stage;
    const deps: MoveDeps = {
      runSql: (statement) =>
        step(() => {
          const { text, parameters } = toStatement(statement);
          return stage.select(text, [...parameters]);
        }),
      clickHouse: {
        select: (...given) => step(() => clickHouse.select(...given)),
        insert: (...given) => step(() => clickHouse.insert(...given)),
        execute: (...given) => step(() => clickHouse.execute(...given)),
      },
      timeoutMs: TIMEOUT_MS,
      onProgress: () => undefined,
    };
    return work(deps).then(
      () => true,
      (error: unknown) => {
        if (error !== KILLED) {
          throw error;
        }
        return false;
      },
    );
  };

  it("keeps every click, counted once, wherever it is killed and run again, also of clicks that Postgres keeps for a stream", async () => {
    await stage.select(
      "INSERT INTO live_streams (id, workspace_id, ends_at) VALUES (gen_random_uuid(), $1, now() + interval '1 hour')",
      [WORKSPACE],
    );
    await click();
    let isOver = false;
    for (let killedAfter = 3; !isOver; killedAfter += IS_FULL ? 1 : 8) {
      const isThere = await move(moveToClickHouse, killedAfter);
      await click();
      await move(moveToClickHouse);
      await click();
      expect([killedAfter, await compareStores(stage, RANGE, TIMEOUT_MS)]).toMatchObject([
        killedAfter,
        { different: 0 },
      ]);
      expect((await stage.contents())[1]).toBe(clicks);
      const isBack = await move(moveToPostgres, killedAfter);
      await click();
      await move(moveToPostgres);
      await click();
      expect([
        killedAfter,
        await stage.select(
          `SELECT (SELECT count(*)::int FROM click_events) AS events, (SELECT sum(clicks)::int FROM workspace_rollups) AS counted,
             (SELECT sum(total)::int FROM link_totals) AS totals`,
        ),
      ]).toEqual([killedAfter, [{ events: clicks, counted: clicks, totals: clicks }]]);
      isOver = isThere && isBack;
    }
    await stage.select("TRUNCATE live_streams");
  }, 300_000);
});
