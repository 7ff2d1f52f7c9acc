/** A ClickHouse for the API's tests, with its tables; clicks are moved there and counted there as an installation does it. */
import { createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { moveToClickHouse } from "@hopline/clickhouse/move/to-clickhouse";
import { moveToPostgres } from "@hopline/clickhouse/move/to-postgres";
import { migrateClickHouse } from "@hopline/clickhouse/schema/migrate-clickhouse";
import { countInClickHouse } from "@hopline/clickhouse/store/count-in-clickhouse";
import type { ClickBatch } from "@hopline/db/ingest/insert-clicks";
import { startClickHouse } from "@hopline/testkit/clickhouse/clickhouse-server";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

import { type Crash, dyingStores } from "../../../packages/clickhouse/test/dying-stores.ts";
import { runSqlOf } from "./run-sql-of.ts";
import type { Stage } from "./stage.ts";

const TIMEOUT_MS = 60_000;

export async function openClickHouse() {
  const server = await startClickHouse({ isInMemory: true });
  const clickHouse = createClickHouse(server.url);
  await migrateClickHouse(clickHouse, readMigrations(inWorkspace("migrations/clickhouse")), {
    kind: "single",
  });
  const depsOf = ({ client }: Stage) => ({
    runSql: runSqlOf(client),
    clickHouse,
    timeoutMs: TIMEOUT_MS,
    onProgress: () => undefined,
  });
  return {
    url: server.url,
    execute: (statement: string) => clickHouse.execute(statement, {}, TIMEOUT_MS),
    /** From then on, no click is read from Postgres: it has none. */
    moveIn: async (stage: Stage) => {
      const { different } = await moveToClickHouse(depsOf(stage));
      if (different > 0) {
        throw new Error(`${different} quarters of an hour are not alike in both stores`);
      }
      await stage.client.query("TRUNCATE click_events");
    },
    moveBack: async (stage: Stage) => {
      const different = await moveToPostgres(depsOf(stage));
      if (different.length > 0) {
        throw new Error(`Postgres has not all clicks of ${different.join(", ")}`);
      }
    },
    count: (stage: Stage, batch: ClickBatch, crash: Crash = null) =>
      countInClickHouse(dyingStores(depsOf(stage), crash), batch, TIMEOUT_MS),
    kill: () => server.kill(),
    close: () => server.stop(),
  };
}

export type TestClickHouse = Awaited<ReturnType<typeof openClickHouse>>;
