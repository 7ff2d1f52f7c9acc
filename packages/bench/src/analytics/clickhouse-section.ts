/**
 * `--engine clickhouse`: how long questions take where clicks are counted in ClickHouse, through the application itself, with as many clicks
 * today as on all days before; and what a click costs Postgres in both modes. ClickHouse is its embedded engine behind HTTP, as in the tests;
 * databases are scratch, and filled first (minutes).
 */
import { createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { migrateClickHouse } from "@hopline/clickhouse/schema/migrate-clickhouse";
import { createNeonClient } from "@hopline/db/neon-client";
import { startClickHouse } from "@hopline/testkit/clickhouse/clickhouse-server";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { openClient } from "@hopline/testkit/postgres/open-client";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { addKey } from "../add-key.ts";
import type { Section } from "../section.ts";
import { toReport } from "./analytics-report.ts";
import { openApp } from "./analytics-section.ts";
import { questionsOver } from "./clickhouse-questions.ts";
import { fillClickHouse } from "./fill-clickhouse.ts";
import { WORKSPACE_ID } from "./fill-clicks.ts";
import { timeQuestions } from "./time-questions.ts";

/** Up to this many clicks, each question's p95 has a bar, over 90 days; with more, its median, over 30. */
const MANY_CLICKS = 10_000_000;

export function clickHouseSection(clicks: number): Section {
  return {
    title: `Analytics in ClickHouse: ${clicks.toLocaleString("en")} clicks`,
    async run({ rounds, say }) {
      await using server = await startClickHouse();
      await using postgres = await openDatabaseServer();
      await using scratch = await postgres.createMigratedDatabase();
      await using endpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
      await using client = await openClient(scratch.url);
      const clickHouse = createClickHouse(server.url);
      const migrations = readMigrations(inWorkspace("migrations/clickhouse"));
      await migrateClickHouse(clickHouse, migrations, { kind: "single" });
      const runSql = createNeonClient({ databaseUrl: scratch.url, sqlEndpoint: endpoint.url });
      const isMany = clicks > MANY_CLICKS;
      const days = isMany ? 30 : 90;
      const stores = { client, runSql, clickHouse };
      const filled = await fillClickHouse(stores, { clicks, days, clicksToday: clicks, onStep: say });
      const key = await addKey(client, WORKSPACE_ID, "analytics:read");
      const questions = questionsOver(days, isMany ? 500 : 150);
      const app = openApp(scratch.url, endpoint.url, server.url);
      const only = process.env["BENCH_QUESTION"] ?? "";
      const timed = toReport(
        await timeQuestions(app, { key, questions, rounds: rounds ?? (isMany ? 5 : 20), only, say }),
        { statistic: isMany ? "median" : "p95", source: "the aim for two cores" },
      );
      return {
        ...timed,
        lines: [`${filled.bytesPerClick.toFixed(1)} bytes a click in ClickHouse`, ...timed.lines],
      };
    },
  };
}
