/**
 * `--engine clickhouse`: how fast the copier is, and how long questions take that ClickHouse answers, through the application itself.
 * ClickHouse is its embedded engine behind HTTP, as in the tests; databases are scratch, and filled first (minutes).
 * BENCH_CLICKHOUSE_DATA names a folder whose clicks are used again, and that is filled if it has none.
 */
import os from "node:os";

import { createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { copyDay } from "@hopline/clickhouse/copy/copy-day";
import { markDays } from "@hopline/clickhouse/copy/mark-days";
import { migrateClickHouse } from "@hopline/clickhouse/schema/migrate-clickhouse";
import { createNeonClient } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import { startClickHouse } from "@hopline/testkit/clickhouse/clickhouse-server";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { addKey } from "../add-key.ts";
import { createCpuMeter } from "../cpu-meter.ts";
import type { Section, SectionReport } from "../section.ts";
import { toReport } from "./analytics-report.ts";
import { openApp, withClient } from "./analytics-section.ts";
import { questionsOver } from "./clickhouse-questions.ts";
import { fillClickHouse, type Stores } from "./fill-clickhouse.ts";
import { DAYS, INSERT_CLICKS, ROLLUPS, START_MS, WORKSPACE_ID } from "./fill-clicks.ts";
import { timeQuestions } from "./time-questions.ts";

/** Up to this many clicks, each question's p95 has a bar, over 90 days; with more, its median, over 30. */
const MANY_CLICKS = 10_000_000;
const COPIED_CLICKS = 400_000;
const TIMEOUT_MS = 60_000;

export function clickHouseSection(clicks: number): Section {
  return {
    title: `Analytics in ClickHouse: ${clicks.toLocaleString("en")} clicks`,
    async run({ rounds, say }) {
      const dataDirectory = process.env["BENCH_CLICKHOUSE_DATA"];
      const server = await startClickHouse(dataDirectory === undefined ? {} : { dataDirectory });
      const postgres = await openDatabaseServer();
      const scratch = await postgres.createScratchDatabase();
      try {
        await migrate(scratch.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
        const endpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
        const clickHouse = createClickHouse(server.url);
        const migrations = readMigrations(inWorkspace("migrations/clickhouse"));
        await migrateClickHouse(clickHouse, migrations, { kind: "single" });
        const runSql = createNeonClient({ databaseUrl: scratch.url, sqlEndpoint: endpoint.url });
        const isMany = clicks > MANY_CLICKS;
        const days = isMany ? 30 : 90;
        const [copied, filled, key] = await withClient(scratch.url, async (client) => {
          const databases = { client, runSql, clickHouse };
          const [found] = await clickHouse.select("SELECT count() AS clicks FROM clicks", {}, TIMEOUT_MS);
          const isFilled = Number(found?.["clicks"]) > 0;
          const rate = isFilled ? NOT_MEASURED : await measureCopier(databases, say);
          const fill = { clicks, days, isRepeated: isFilled, onStep: say };
          return [
            rate,
            await fillClickHouse(databases, fill),
            await addKey(client, WORKSPACE_ID, "analytics:read"),
          ];
        });
        const questions = questionsOver(days, isMany ? 500 : 150);
        const app = openApp(scratch.url, endpoint.url, server.url);
        const only = process.env["BENCH_QUESTION"] ?? "";
        const report = toReport(
          await timeQuestions(app, { key, questions, rounds: rounds ?? (isMany ? 5 : 20), only, say }),
          { statistic: isMany ? "median" : "p95", source: "the aim for two cores" },
        );
        await endpoint.stop();
        const lines = [`${filled.bytesPerClick.toFixed(1)} bytes a click in ClickHouse`, ...report.lines];
        return merge(copied, { ...report, lines });
      } finally {
        await scratch.drop();
        await postgres.stop();
        await server.stop();
      }
    },
  };
}

const NOT_MEASURED: SectionReport = {
  figures: [],
  lines: ["the copier is not measured with clicks of an earlier run"],
};

/** The clicks of a day; copied while nothing else is done, and removed again. */
async function measureCopier(
  { client, runSql, clickHouse }: Stores,
  say: (status: string) => void,
): Promise<SectionReport> {
  say("clicks to copy");
  await client.query(INSERT_CLICKS, [START_MS, COPIED_CLICKS * DAYS, 0, COPIED_CLICKS]);
  for (const statement of Object.values(ROLLUPS)) {
    await client.query(statement);
  }
  await client.query("VACUUM ANALYZE");
  const day = new Date(START_MS).toISOString().slice(0, 10);
  await runSql(markDays(sql`SELECT ${WORKSPACE_ID}::uuid AS workspace_id, ${day}::date AS day`), TIMEOUT_MS);
  say("copying");
  const meter = createCpuMeter();
  const startedAtMs = performance.now();
  const copied = await copyDay(day, Infinity, { runSql, clickHouse, timeoutMs: TIMEOUT_MS, nowMs: Date.now });
  const tookMs = performance.now() - startedAtMs;
  const { ours } = meter.read();
  if (copied.sealed !== 1) {
    throw new Error(`A day of ${COPIED_CLICKS} clicks was copied, and is not alike in both stores.`);
  }
  await clickHouse.execute("TRUNCATE TABLE clicks", {}, TIMEOUT_MS);
  await client.query("TRUNCATE click_events, click_rollups, workspace_rollups, clickhouse_days, work");
  const cpuSeconds = ours === null ? "unknown" : ((ours * tookMs * os.cpus().length) / 1_000).toFixed(1);
  const name = "clickhouse.copied-per-second";
  return {
    figures: [{ name, value: COPIED_CLICKS / (tookMs / 1_000), unit: "1/s" }],
    gates: [
      {
        section: "analytics",
        figure: name,
        title: "Clicks copied to ClickHouse",
        unit: "1/s",
        bar: { atLeast: 20_000 },
        source: "as many as the consumer's statement writes",
      },
    ],
    lines: [
      `${COPIED_CLICKS.toLocaleString("en")} clicks copied and compared in ${(tookMs / 1_000).toFixed(1)} s, with ${cpuSeconds} s of CPU in both databases and the copier`,
    ],
  };
}

function merge(one: SectionReport, other: SectionReport): SectionReport {
  return {
    figures: [...one.figures, ...other.figures],
    gates: [...(one.gates ?? []), ...(other.gates ?? [])],
    lines: [...one.lines, ...other.lines],
  };
}
