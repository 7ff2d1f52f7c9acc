/** `pnpm migrate`: brings the database that DATABASE_URL names up to date. */
import { consoleProgress } from "@hopline/testkit/console/progress";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";

import { readDatabaseUrl } from "../operate/direct-sql.ts";

export const example = "DATABASE_URL=postgresql://user:password@host/name pnpm migrate";

export default defineCommand({
  meta: { name: "pnpm migrate", description: "Brings the database in DATABASE_URL up to date" },
  run: () =>
    migrate(readDatabaseUrl(), {
      directory: inWorkspace("migrations"),
      onProgress: (line) => consoleProgress().line(line),
    }),
});
