/** The database of a file with clicks that are counted in ClickHouse, and ClickHouse with its tables. */
import { startClickHouse, type ClickHouseServer } from "@hopline/testkit/clickhouse/clickhouse-server";
import { HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import type { ClickBatch, InsertedClicks } from "@hopline/db/ingest/insert-clicks";
import type { RunSql } from "@hopline/db/neon-client";
import { afterAll, beforeAll, beforeEach } from "vitest";

import { aBatch, type SegmentShape } from "../../db/test/click-batch.ts";
import { TIMEOUT_MS, useDbStage } from "../../db/test/db-stage.ts";
import { type ClickHouse, createClickHouse } from "../src/clickhouse-client.ts";
import { migrateClickHouse } from "../src/schema/migrate-clickhouse.ts";
import { countInClickHouse } from "../src/store/count-in-clickhouse.ts";

/** Does nothing where the engine is missing: the tests are skipped. */
export function useClickHouseStage(mode: "clickhouse" | "postgres" = "clickhouse") {
  const db = useDbStage();
  let server: ClickHouseServer;
  let clickHouse: ClickHouse;
  const read = (query: string, parameters = {}) => clickHouse.select(query, parameters, TIMEOUT_MS);
  const stage = {
    ...db,
    get server() {
      return server;
    },
    get clickHouse() {
      return clickHouse;
    },
    /** As ClickHouse answers it. */
    read,
    execute: (statement: string) => clickHouse.execute(statement, {}, TIMEOUT_MS),
    countBatch: (
      batch: ClickBatch,
      through: { readonly runSql?: RunSql; readonly clickHouse?: ClickHouse } = {},
    ): Promise<InsertedClicks> =>
      countInClickHouse({ runSql: db.runSql, clickHouse, ...through }, batch, TIMEOUT_MS),
    /** As the consumer does it. Resolves to how many clicks were new. */
    count: async (shapes: readonly SegmentShape[]): Promise<number> =>
      (await stage.countBatch(aBatch(shapes))).inserted,
    /** How many rows ClickHouse has, and how many events those are. */
    contents: async (where = "1"): Promise<readonly [number, number]> => {
      const query = `SELECT count() AS clicks, uniqExact(event_id) AS events FROM clicks WHERE ${where}`;
      const [row] = await read(query);
      return [Number(row?.["clicks"]), Number(row?.["events"])];
    },
    setMode: (wanted: "clickhouse" | "postgres") => db.select("UPDATE counting_mode SET mode = $1", [wanted]),
  };
  beforeAll(async () => {
    if (HAS_CLICKHOUSE) {
      server = await startClickHouse({ isInMemory: true });
      clickHouse = createClickHouse(server.url);
      const migrations = readMigrations(inWorkspace("migrations/clickhouse"));
      await migrateClickHouse(clickHouse, migrations, { kind: "single" });
    }
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    if (HAS_CLICKHOUSE) {
      await db.emptyClicks();
      await db.select("TRUNCATE clickhouse_removals");
      await stage.setMode(mode);
      await stage.execute("TRUNCATE TABLE clicks");
    }
  });
  return stage;
}
