/**
 * `pnpm restore --into`: puts a dump of pg_dump into an empty database, with or without TimescaleDB, brings it up to date, and
 * reconciles it. The Workers' own database is never touched.
 */
import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { defineCommand, runCommand } from "citty";

import { restoreDump } from "../operate/restore-dump.ts";
import reconcile from "./reconcile.ts";

export const example = "pnpm restore --into postgresql://user:password@host/hopline_restored hopline.dump";
export const exitCodes = {
  0: "restored, and every click is accounted for",
  1: "it could not be restored, or does not add up",
};

export default defineCommand({
  meta: { name: "pnpm restore", description: "Restores a dump into an empty database, and reconciles it" },
  args: {
    file: { type: "positional", required: true, description: "What `pg_dump --format=custom` wrote" },
    into: {
      type: "string",
      required: true,
      description: "An empty database: postgresql://user:password@host/name",
    },
  },
  async run({ args }) {
    const progress = consoleProgress();
    const onProgress = (line: string) => progress.line(`    ${line}`);
    await progress.step(`Restoring ${args.file}`, () => restoreDump(args.file, args.into));
    await progress.step("Migrations", () =>
      migrate(args.into, { directory: inWorkspace("migrations"), onProgress }),
    );
    process.env["DATABASE_URL"] = args.into;
    const { result } = await runCommand(reconcile, { rawArgs: [] });
    if (result !== 0) {
      throw new Failure("The restored database does not add up: see above, and docs/backup.md.");
    }
  },
});
