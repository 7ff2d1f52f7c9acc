/** `pnpm clickhouse fetch`: what belongs to ClickHouse alone. */
import { fetchClickHouseEngine } from "@hopline/testkit/clickhouse/engine-cache";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

export const example = "pnpm clickhouse fetch";

export default defineCommand({
  meta: { name: "pnpm clickhouse", description: "Fetches ClickHouse for tests and the local stack" },
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
  },
});
