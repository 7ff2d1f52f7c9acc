/** The database of a file with clicks, ClickHouse with its tables, and the copier between the two. */
import { startClickHouse, type ClickHouseServer } from "@hopline/testkit/clickhouse/clickhouse-server";
import { HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";

import { DAY_MS, TIMEOUT_MS, useDbStage } from "../../db/test/db-stage.ts";
import { type ClickHouse, createClickHouse } from "../src/clickhouse-client.ts";
import { copyClicks, type CopyReport } from "../src/copy/copy-clicks.ts";
import { migrateClickHouse } from "../src/schema/migrate-clickhouse.ts";

/** Midnight of a day that is over, and not so long ago that its clicks count as late. */
export const YESTERDAY_MS = (Math.floor(Date.now() / DAY_MS) - 1) * DAY_MS;

export const toDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

const HAS_PASSED = `
  SELECT COALESCE(max(inserted_xid), 0) < pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS done FROM click_events`;

/** Until no transaction is open that is as old as the newest click. */
export async function waitForHorizon(
  select: (statement: string) => Promise<readonly { readonly done?: unknown }[]>,
): Promise<void> {
  await vi.waitUntil(async () => (await select(HAS_PASSED))[0]?.done === true, {
    timeout: 30_000,
    interval: 50,
  });
}

/** Does nothing where the engine is missing: the tests are skipped. */
export function useClickHouseStage() {
  const db = useDbStage();
  let server: ClickHouseServer;
  let clickHouse: ClickHouse;
  const read = (query: string, parameters = {}) => clickHouse.select(query, parameters, TIMEOUT_MS);
  const stage = {
    ...db,
    /** Waits until they can be copied: other files' transactions on this server hold them back. */
    insert: async (...shapes: Parameters<typeof db.insert>) => {
      const inserted = await db.insert(...shapes);
      await waitForHorizon(db.select);
      return inserted;
    },
    /** Without waiting. */
    insertNow: db.insert,
    get server() {
      return server;
    },
    get clickHouse() {
      return clickHouse;
    },
    /** As ClickHouse answers it. */
    read,
    execute: (statement: string) => clickHouse.execute(statement, {}, TIMEOUT_MS),
    /** A run of the copier, to its end. */
    copy: (through: Partial<Parameters<typeof copyClicks>[1]> = {}): Promise<CopyReport> =>
      copyClicks(60_000, {
        runSql: db.runSql,
        clickHouse,
        timeoutMs: TIMEOUT_MS,
        nowMs: Date.now,
        ...through,
      }),
    /** Waiting is over for every day that waits to be compared. */
    makeDue: () => db.select("UPDATE clickhouse_days SET due_at = now()"),
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
  }, 60_000);
  afterAll(() => server?.stop());
  beforeEach(async () => {
    if (HAS_CLICKHOUSE) {
      await db.emptyClicks();
      await db.select("TRUNCATE clickhouse_copy, clickhouse_day_copies, clickhouse_days");
      await stage.execute("TRUNCATE TABLE clicks");
    }
  });
  return stage;
}
