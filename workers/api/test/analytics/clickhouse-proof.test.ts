/** The proof of the newest quarters of an hour, over clicks that were copied from Postgres. */
import { moveToClickHouse } from "@hopline/clickhouse/move/to-clickhouse";
import type { RunSql } from "@hopline/db/neon-client";
import { toStatement } from "@hopline/db/sql";
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { describe, expect, it } from "vitest";

import { useClickHouseStage } from "../../../../packages/clickhouse/test/clickhouse-stage.ts";
import { TIMEOUT_MS, WORKSPACE } from "../../../../packages/db/test/db-stage.ts";
import { findCounted, isProved, selectProof, toReading } from "@hopline/analytics/clickhouse/proof";

const QUARTER_MS = 900_000;

describe.skipIf(!HAS_CLICKHOUSE)(`The proof of clicks that were moved${CLICKHOUSE_HINT}`, () => {
  const stage = useClickHouseStage("postgres");

  const isProvedAtOnce = async (): Promise<boolean> => {
    const toMs = (Math.floor(Date.now() / QUARTER_MS) + 1) * QUARTER_MS;
    const range = { fromMs: toMs - 4 * QUARTER_MS, toMs };
    const { query, read } = findCounted(WORKSPACE, range, []);
    const counted = read(await stage.runSql(query, TIMEOUT_MS));
    const known = { counted, removals: [], finalS: [], isNewestFinal: false };
    const reading = toReading(WORKSPACE, range, known);
    return isProved(await stage.read(selectProof(reading)), counted, reading);
  };

  it("holds where many came in one millisecond, and not where one was copied twice", async () => {
    const clickedAtMs = Date.now();
    await stage.insert([{ count: 3, row: () => ({ clickedAtMs }) }]);
    const { clickHouse, select } = stage;
    const runSql: RunSql = (statement) => {
      const { text, parameters } = toStatement(statement);
      return select(text, [...parameters]);
    };
    await moveToClickHouse({ runSql, clickHouse, timeoutMs: TIMEOUT_MS, onProgress: () => undefined });
    await stage.count([{ first: 4, count: 2, row: () => ({ clickedAtMs }) }]);
    expect(await isProvedAtOnce()).toBe(true);
    await stage.execute("INSERT INTO clicks SELECT * FROM clicks WHERE event_hash = 0 LIMIT 1");
    expect(await isProvedAtOnce()).toBe(false);
  });
});
