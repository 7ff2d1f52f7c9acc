/** `pnpm backup FILE`: dumps the database of DATABASE_URL with pg_dump. What uploads it is `.github/workflows/backup.yml`. */
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

import { readDatabaseUrl } from "../operate/direct-sql.ts";
import { dumpDatabase } from "../operate/restore-dump.ts";

export const example = "DATABASE_URL=… pnpm backup hopline.dump";

export default defineCommand({
  meta: { name: "pnpm backup", description: "Dumps the database in DATABASE_URL, for `pnpm restore`" },
  args: { file: { type: "positional", required: true, description: "Where the dump goes" } },
  run: ({ args }) =>
    consoleProgress().step(`Dump in ${args.file}`, () => dumpDatabase(readDatabaseUrl(), args.file)),
});
