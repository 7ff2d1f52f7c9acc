/**
 * `--engine clickhouse`: how fast the copier is, and how long questions take that ClickHouse answers, through the application itself.
 * ClickHouse is its embedded engine behind HTTP, as in the tests; databases are scratch, and filled first (minutes).
 * BENCH_CLICKHOUSE_DATA names a folder whose clicks are used again, and that is filled if it has none.
 */
import os from "node:os";

import { type ClickHouse, createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { copyClicks } from "@hopline/clickhouse/copy/copy-clicks";
import { migrateClickHouse } from "@hopline/clickhouse/schema/migrate-clickhouse";
import { createNeonClient, type RunSql } from "@hopline/db/neon-client";
import { startClickHouse } from "@hopline/testkit/clickhouse/clickhouse-server";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import type { Client } from "pg";

import { addKey } from "../add-key.ts";
import { createCpuMeter } from "../cpu-meter.ts";
import type { Section, SectionReport } from "../section.ts";
import { toReport } from "./analytics-report.ts";
import { openApp, withClient } from "./analytics-section.ts";
import { questionsOver } from "./clickhouse-questions.ts";
import { fillClickHouse } from "./fill-clickhouse.ts";
import { INSERT_CLICKS, WORKSPACE_ID } from "./fill-clicks.ts";
import { timeQuestions } from "./time-questions.ts";

/** Up to this many clicks, each question's p95 has a bar, over 90 days; with more, its median, over 30. */
const MANY_CLICKS = 10_000_000;
const COPIED_CLICKS = 200_000;
const BATCH_CLICKS = 1_000;
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
          const fill = { clicks: isFilled ? 0 : clicks, days, onStep: say };
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

type Databases = { readonly client: Client; readonly runSql: RunSql; readonly clickHouse: ClickHouse };

/** New clicks, in transactions as large as the consumer's; copied while nothing else is done, and removed again. */
async function measureCopier(
  { client, runSql, clickHouse }: Databases,
  say: (status: string) => void,
): Promise<SectionReport> {
  const deps = { runSql, clickHouse, timeoutMs: TIMEOUT_MS, nowMs: Date.now };
  await copyClicks(TIMEOUT_MS, deps);
  say("clicks to copy");
  // 20,000 a second, of the last minutes.
  const parameters = [Date.now() - 600_000, 20_000 * 86_400 * 90];
  for (let first = 0; first < COPIED_CLICKS; first += BATCH_CLICKS) {
    await client.query(INSERT_CLICKS, [...parameters, first, first + BATCH_CLICKS]);
  }
  say("copying");
  const meter = createCpuMeter();
  const startedAtMs = performance.now();
  await copyClicks(10 * TIMEOUT_MS, deps);
  const tookMs = performance.now() - startedAtMs;
  const { ours } = meter.read();
  const [found] = await clickHouse.select("SELECT uniqExact(event_id) AS events FROM clicks", {}, TIMEOUT_MS);
  if (Number(found?.["events"]) !== COPIED_CLICKS) {
    throw new Error(`${COPIED_CLICKS} clicks to copy, and ${String(found?.["events"])} in ClickHouse.`);
  }
  await clickHouse.execute("TRUNCATE TABLE clicks", {}, TIMEOUT_MS);
  await client.query("TRUNCATE click_events, clickhouse_copy, clickhouse_days, clickhouse_day_copies");
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
      `${COPIED_CLICKS.toLocaleString("en")} clicks copied in ${(tookMs / 1_000).toFixed(1)} s, with ${cpuSeconds} s of CPU in both databases and the copier`,
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
