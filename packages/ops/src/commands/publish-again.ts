/** `pnpm publish-again`: writes links to KV as they stand in the database. */
import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

import { withDirectSql } from "../operate/direct-sql.ts";
import { publishAgain } from "../operate/publish-again.ts";

export const example = "DATABASE_URL=… pnpm publish-again --domain go.example.com";

export default defineCommand({
  meta: {
    name: "pnpm publish-again",
    description: "Has links written to KV again, as they stand in the database",
  },
  args: {
    domain: { type: "string", description: "Those of this short domain; all without it" },
  },
  async run({ args: { domain = null } }) {
    const progress = consoleProgress();
    const host = domain?.toLowerCase() ?? null;
    const addresses = await progress.during("Enqueueing", (report) =>
      withDirectSql((runSql) => publishAgain(runSql, host, (count) => report(`${count} addresses`))),
    );
    if (addresses === 0 && domain !== null) {
      throw new Failure(`No address leads anywhere on ${domain}: check the name.`);
    }
    progress.line(
      `${addresses} addresses will be published after edits, within minutes of the next edit or click, and of six hours at most. pnpm run doctor shows what waits, as publish-import.`,
    );
  },
});
