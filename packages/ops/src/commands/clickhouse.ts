/** `pnpm clickhouse fetch|repair|restart`: what concerns ClickHouse alone. */
import { repairDays, restartCopy } from "@hopline/clickhouse/copy/repair-days";
import { fetchClickHouseEngine } from "@hopline/testkit/clickhouse/engine-cache";
import { UsageFailure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

import { sql } from "@hopline/db/sql";

import { readDatabaseUrl, runOn, withClient, withDirectSql } from "../operate/direct-sql.ts";

const TIMEOUT_MS = 600_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const example = "DATABASE_URL=… pnpm clickhouse repair --day 2026-11-21";

export default defineCommand({
  meta: {
    name: "pnpm clickhouse",
    description: "Repairs the copy in ClickHouse; fetches its engine for tests",
  },
  subCommands: {
    fetch: defineCommand({
      meta: {
        name: "fetch",
        description: "Fetches ClickHouse's embedded engine: half a gigabyte, once per machine",
      },
      async run() {
        const progress = consoleProgress();
        const directory = await progress.during("Fetching ClickHouse", () => fetchClickHouseEngine());
        progress.line(`ClickHouse's engine is in ${directory}.`);
      },
    }),
    repair: defineCommand({
      meta: { name: "repair", description: "Has days copied again: those that are not alike in both stores" },
      args: {
        day: { type: "string", description: "This UTC day instead, whether it is alike or not" },
        workspace: { type: "string", description: "Of this workspace only; a UUID" },
      },
      async run({ args: { day = null, workspace = null } }) {
        if (day !== null && (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day)))) {
          throw new UsageFailure(`--day must be a day such as 2026-11-21, not "${day}".`);
        }
        if (workspace !== null && !UUID.test(workspace)) {
          throw new UsageFailure(`--workspace must be a UUID, not "${workspace}".`);
        }
        const days = await withDirectSql((runSql) =>
          repairDays(runSql, { day, workspaceId: workspace }, TIMEOUT_MS),
        );
        consoleProgress().line(
          `${days} days of workspaces will be copied again by the consumer, from its next minute on.`,
        );
      },
    }),
    restart: defineCommand({
      meta: {
        name: "restart",
        description: "Continues the copy after the database was restored from a dump",
      },
      run: () =>
        withClient(readDatabaseUrl(), async (client) => {
          await restartCopy(async (statements) => {
            for (const statement of [sql`BEGIN`, ...statements, sql`COMMIT`]) {
              await runOn(client, statement);
            }
            return [];
          }, TIMEOUT_MS);
          consoleProgress().line("The copy continues from here. Every day is compared again.");
        }),
    }),
  },
});
