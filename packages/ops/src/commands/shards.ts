/** `pnpm shards N`: how many queues the clicks are spread over, written into both configurations at once. */
import { readFile, writeFile } from "node:fs/promises";

import { Failure } from "@hopline/testkit/console/failure";
import { MAX_SHARDS, planShards } from "../workspace/plan-shards.ts";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags, readWholeNumber } from "@hopline/testkit/console/read-flags";
import { runTool } from "@hopline/testkit/console/run-tool";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

const PATHS = { producer: "wrangler.jsonc", consumer: "workers/consumer/wrangler.jsonc" } as const;
const USAGE = `pnpm shards N (1 to ${MAX_SHARDS})`;

await runCommand(async () => {
  const { positionals } = readFlags({}, USAGE);
  const [text] = positionals;
  if (text === undefined || positionals.length > 1) {
    throw new Failure(`Say how many shards. Usage: ${USAGE}`);
  }
  const count = readWholeNumber(text, { name: "The number of shards", min: 1, max: MAX_SHARDS });
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
  progress.line("Next: `pnpm types`, and commit all of it. Then, for each environment:");
  progress.line("  `pnpm run provision` makes new queues, and `pnpm run deploy` puts them to use;");
  progress.line(
    "  queues that fell out of use stay, and stay read, until you delete them: provision names them.",
  );
  return 0;
});
