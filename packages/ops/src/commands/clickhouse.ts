/** `pnpm clickhouse on|off|fetch`: where clicks are counted. */
import { moveToClickHouse } from "@hopline/clickhouse/move/to-clickhouse";
import { moveToPostgres } from "@hopline/clickhouse/move/to-postgres";
import type { MoveDeps } from "@hopline/clickhouse/move/counting-mode";
import { fetchClickHouseEngine } from "@hopline/testkit/clickhouse/engine-cache";
import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

import { migrateGivenClickHouse, readClickHouseUrl, withClickHouse } from "../operate/clickhouse.ts";
import { withDirectSql } from "../operate/direct-sql.ts";

const TIMEOUT_MS = 600_000;

export const example = "DATABASE_URL=… CLICKHOUSE_URL=… pnpm clickhouse on";

export default defineCommand({
  meta: {
    name: "pnpm clickhouse",
    description: "Has clicks counted in ClickHouse, or in Postgres again; fetches its engine for tests",
  },
  subCommands: {
    on: defineCommand({
      meta: {
        name: "on",
        description:
          "Copies clicks to ClickHouse and has them counted there from now on, with traffic going on",
      },
      run: () => move(on),
    }),
    off: defineCommand({
      meta: {
        name: "off",
        description: "Copies clicks back to Postgres and has them counted there from now on",
      },
      run: () => move(off),
    }),
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
  },
});

async function move(work: (deps: MoveDeps) => Promise<string>): Promise<void> {
  const url = readClickHouseUrl();
  const progress = consoleProgress();
  const onProgress = (line: string) => progress.line(line);
  await migrateGivenClickHouse(url, onProgress);
  const done = await withDirectSql((runSql) =>
    withClickHouse(url, (clickHouse) => work({ runSql, clickHouse, timeoutMs: TIMEOUT_MS, onProgress })),
  );
  progress.line(done);
}

async function on(deps: MoveDeps): Promise<string> {
  const { quarters, different, days } = await moveToClickHouse(deps);
  if (different > 0) {
    throw new Failure(
      `Clicks are counted in ClickHouse, but of ${different} quarters of an hour (${days.join(", ")}) it has not what Postgres counted: run this again.`,
    );
  }
  return `✓ Clicks are counted in ClickHouse: ${quarters} quarters of an hour of workspaces are alike in both stores.`;
}

async function off(deps: MoveDeps): Promise<string> {
  const different = await moveToPostgres(deps);
  if (different.length > 0) {
    throw new Failure(
      `Clicks are counted in Postgres, but it has not all of ${different.join(", ")}: run this again.`,
    );
  }
  return [
    "✓ Clicks are counted in Postgres, and every day is there. The consumer pre-aggregates them within hours.",
    "  Visitors of the day of the change are counted before and after it; older than RETENTION_DAYS are totals and series.",
  ].join("\n");
}
