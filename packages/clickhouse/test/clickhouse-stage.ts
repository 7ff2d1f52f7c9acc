/** The database of a file with clicks, ClickHouse with its tables, and the copier between the two. */
import { startClickHouse, type ClickHouseServer } from "@hopline/testkit/clickhouse/clickhouse-server";
import { HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { enqueueWork } from "@hopline/db/work/enqueue-work";
import type { RunSql, RunTransaction } from "@hopline/db/neon-client";
import type { Sql } from "@hopline/db/sql";
import { afterAll, beforeAll, beforeEach } from "vitest";

import { DAY_MS, TIMEOUT_MS, useDbStage } from "../../db/test/db-stage.ts";
import { doWork } from "../../db/test/do-work.ts";
import { type ClickHouse, createClickHouse } from "../src/clickhouse-client.ts";
import type { CopyDeps, CopyReport } from "../src/copy/copy-day.ts";
import { copyHandler, EVERY_DAY } from "../src/copy/copy-work.ts";
import { migrateClickHouse } from "../src/schema/migrate-clickhouse.ts";

/** Midnight of a day that is over. */
export const YESTERDAY_MS = (Math.floor(Date.now() / DAY_MS) - 1) * DAY_MS;

export const toDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

/** As if the consumer had pre-aggregated every day that is over. */
const MAKE_DAYS = `
  INSERT INTO cube_days (workspace_id, day, slice, until_xid, quarter_clicks, clicks)
  SELECT workspace_id, date_bin('1 day', bucket_start, 'epoch') AS day, 0, 0, ARRAY[sum(clicks)], sum(clicks) FROM workspace_rollups
  WHERE bucket_start < date_trunc('day', now(), 'UTC') GROUP BY 1, 2
  ON CONFLICT (workspace_id, day, slice) DO UPDATE SET clicks = excluded.clicks`;

/** Runs a statement that enqueues days, and copies until nothing is left to do. Rejects with what the first day rejected with. */
export async function copyDays(
  enqueue: Sql,
  runTransaction: RunTransaction,
  deps: Omit<CopyDeps, "nowMs">,
): Promise<CopyReport> {
  const total = { sealed: 0, wrong: 0, isBehind: false };
  await runTransaction([enqueue], TIMEOUT_MS);
  const handler = copyHandler({ ...deps, nowMs: Date.now }, ({ sealed, wrong }) => {
    total.sealed += sealed;
    total.wrong += wrong;
  });
  const [error] = await doWork(runTransaction, { clickhouse: handler });
  if (error !== undefined) {
    throw error;
  }
  return total;
}

/** Does nothing where the engine is missing: the tests are skipped. */
export function useClickHouseStage() {
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
    /** What the consumer does once a day is over. */
    copy: async (through: { readonly runSql?: RunSql; readonly clickHouse?: ClickHouse } = {}) => {
      await db.select(MAKE_DAYS);
      return copyDays(enqueueWork([EVERY_DAY]), db.runTransaction, {
        runSql: db.runSql,
        clickHouse,
        timeoutMs: TIMEOUT_MS,
        ...through,
      });
    },
    days: () =>
      db.select(
        `SELECT workspace_id::text AS workspace, day::text AS day, sealed_clicks::int AS sealed
         FROM clickhouse_days ORDER BY 1, 2`,
      ),
    /** How many rows ClickHouse has, and how many events those are. */
    count: async (where = "1"): Promise<readonly [number, number]> => {
      const query = `SELECT count() AS clicks, uniqExact(event_id) AS events FROM clicks WHERE ${where}`;
      const [row] = await read(query);
      return [Number(row?.["clicks"]), Number(row?.["events"])];
    },
  };
  beforeAll(async () => {
    if (HAS_CLICKHOUSE) {
      server = await startClickHouse();
      clickHouse = createClickHouse(server.url);
      const migrations = readMigrations(inWorkspace("migrations/clickhouse"));
      await migrateClickHouse(clickHouse, migrations, { kind: "single" });
    }
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    if (HAS_CLICKHOUSE) {
      await db.emptyClicks();
      await db.select("TRUNCATE clickhouse_days");
      await stage.execute("TRUNCATE TABLE clicks");
    }
  });
  return stage;
}
