/** `pnpm migrate`: brings the database that DATABASE_URL names up to date, and ClickHouse where CLICKHOUSE_URL names one. */
import { consoleProgress } from "@hopline/testkit/console/progress";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";

import { migrateGivenClickHouse } from "../operate/clickhouse.ts";
import { readDatabaseUrl } from "../operate/direct-sql.ts";

export const example = "DATABASE_URL=postgresql://user:password@host/name pnpm migrate";

export default defineCommand({
  meta: { name: "pnpm migrate", description: "Brings the database in DATABASE_URL up to date" },
  async run() {
    const onProgress = (line: string) => consoleProgress().line(line);
    await migrate(readDatabaseUrl(), { directory: inWorkspace("migrations"), onProgress });
    await migrateGivenClickHouse(process.env["CLICKHOUSE_URL"] ?? "", onProgress);
  },
});
