/** A ClickHouse for the API's tests, with its tables, and the consumer's copier to fill it. */
import { createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { migrateClickHouse } from "@hopline/clickhouse/schema/migrate-clickhouse";
import { startClickHouse } from "@hopline/testkit/clickhouse/clickhouse-server";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import type pg from "pg";

import { copyEveryDay, MAKE_DAYS } from "../../../packages/clickhouse/test/clickhouse-stage.ts";
import { runSqlOf } from "./run-sql-of.ts";

const TIMEOUT_MS = 60_000;

export async function openClickHouse() {
  const server = await startClickHouse();
  const clickHouse = createClickHouse(server.url);
  await migrateClickHouse(clickHouse, readMigrations(inWorkspace("migrations/clickhouse")), {
    kind: "single",
  });
  return {
    url: server.url,
    execute: (statement: string) => clickHouse.execute(statement, {}, TIMEOUT_MS),
    /** Every day that is over, of every workspace in the database. */
    copy: async (client: pg.Client) => {
      await client.query(MAKE_DAYS);
      return copyEveryDay(runTransactionOf(client), { runSql: runSqlOf(client), clickHouse, timeoutMs: TIMEOUT_MS });
    },
    kill: () => server.kill(),
    close: () => server.stop(),
  };
}

export type TestClickHouse = Awaited<ReturnType<typeof openClickHouse>>;
