/** A ClickHouse for the API's tests, with its tables, and the consumer's copier to fill it. */
import { createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { markDays } from "@hopline/clickhouse/copy/mark-days";
import { migrateClickHouse } from "@hopline/clickhouse/schema/migrate-clickhouse";
import { createNeonClient, createNeonTransactions } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import { startClickHouse } from "@hopline/testkit/clickhouse/clickhouse-server";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

import { copyDays } from "../../../packages/clickhouse/test/clickhouse-stage.ts";
import type { Stage } from "./stage.ts";

const TIMEOUT_MS = 60_000;

const ENDED_DAYS = sql`
  SELECT DISTINCT workspace_id, (bucket_start AT TIME ZONE 'UTC')::date AS day FROM workspace_rollups
  WHERE bucket_start < date_trunc('day', now(), 'UTC')`;

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
    copy: ({ databaseUrl, endpoint }: Stage) => {
      const settings = { databaseUrl, sqlEndpoint: endpoint.url };
      const deps = { runSql: createNeonClient(settings), clickHouse, timeoutMs: TIMEOUT_MS };
      return copyDays(markDays(ENDED_DAYS), createNeonTransactions(settings), deps);
    },
    kill: () => server.kill(),
    close: () => server.stop(),
  };
}

export type TestClickHouse = Awaited<ReturnType<typeof openClickHouse>>;
