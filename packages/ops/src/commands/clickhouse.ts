/** `pnpm clickhouse fetch|repair`: what concerns ClickHouse alone. */
import { EVERY_DAY } from "@hopline/clickhouse/copy/copy-work";
import { markDays } from "@hopline/clickhouse/copy/mark-days";
import { startOf } from "@hopline/db/ledger/utc-day";
import { sql } from "@hopline/db/sql";
import { enqueueWork } from "@hopline/db/work/enqueue-work";
import { fetchClickHouseEngine } from "@hopline/testkit/clickhouse/engine-cache";
import { UsageFailure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

import { withDirectSql } from "../operate/direct-sql.ts";

const TIMEOUT_MS = 600_000;

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
      meta: {
        name: "repair",
        description: "Has every day compared, and copied again where the stores differ",
      },
      args: {
        day: { type: "string", description: "Only this UTC day" },
      },
      async run({ args: { day = null } }) {
        if (day !== null && (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day)))) {
          throw new UsageFailure(`--day must be a day such as 2026-11-21, not "${day}".`);
        }
        await withDirectSql((runSql) =>
          runSql(day === null ? enqueueWork([EVERY_DAY]) : markDays(daysOf(day)), TIMEOUT_MS),
        );
        consoleProgress().line(
          `${day === null ? "All days" : "The day"} will be compared by the consumer, from its next minute on, and copied again where the stores differ.`,
        );
      },
    }),
  },
});

/** Of every workspace that has clicks on it. */
const daysOf = (day: string) => sql`
  SELECT workspace_id, ${day}::date AS day FROM cube_days WHERE day = ${startOf(day)}
  UNION SELECT workspace_id, day FROM clickhouse_days WHERE day = ${day}::date`;
