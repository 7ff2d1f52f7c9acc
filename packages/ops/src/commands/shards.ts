/** `pnpm shards N`: how many queues the clicks are spread over, written into both configurations at once. */
import { readFile, writeFile } from "node:fs/promises";

import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { readWholeNumber } from "@hopline/testkit/console/read-whole-number";
import { runTool } from "@hopline/testkit/console/run-tool";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";

import { adviseShards, MAX_SHARDS, planShards } from "../workspace/plan-shards.ts";

const PATHS = { producer: "wrangler.jsonc", consumer: "workers/consumer/wrangler.jsonc" } as const;

export const example = "pnpm shards 8";

export default defineCommand({
  meta: { name: "pnpm shards", description: "Sets the number of click queues in both configurations" },
  args: { count: { type: "positional", required: true, description: `How many: 1 to ${MAX_SHARDS}` } },
  async run({ args }) {
    const count = readWholeNumber(args.count, { name: "The number of shards", min: 1, max: MAX_SHARDS });
    const planned = planShards(
      {
        producer: await readFile(inWorkspace(PATHS.producer), "utf8"),
        consumer: await readFile(inWorkspace(PATHS.consumer), "utf8"),
      },
      count,
    );
    if (!planned.ok) {
      throw new Failure(`${PATHS[planned.error.side]} ${planned.error.detail}: nothing was changed.`);
    }
    await writeFile(inWorkspace(PATHS.producer), planned.value.producer);
    await writeFile(inWorkspace(PATHS.consumer), planned.value.consumer);
    await runTool("oxfmt", [PATHS.producer, PATHS.consumer]);

    const progress = consoleProgress();
    progress.line(
      `${PATHS.producer} and ${PATHS.consumer} now have ${count} ${count === 1 ? "shard" : "shards"}.`,
    );
    progress.line(adviseShards(count));
    progress.line("Next: `pnpm types`, and commit all of it. Then, for each environment:");
    progress.line("  `pnpm run provision` creates new queues, and `pnpm run deploy` puts them to use;");
    progress.line(
      "  queues that are no longer used are still read until you delete them: provision lists them.",
    );
  },
});
