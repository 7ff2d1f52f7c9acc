/** `pnpm build`: the Workers' bundles as they would be deployed, and whether the producer keeps its start-up budget. */
import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { buildWorkers, readMetafile } from "@hopline/testkit/workspace/build-workers";
import {
  describeWeight,
  judgeBundle,
  PRODUCER_START_UP_BUDGET_BYTES,
  weighBundle,
} from "@hopline/testkit/workspace/bundle-budget";
import { WORKERS } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";

export const example = "pnpm build";
export const exitCodes = { 1: "a Worker could not be bundled, or the producer is over its budget" };

export default defineCommand({
  meta: { name: "pnpm build", description: "Bundles the Workers and weighs the producer's start-up" },
  async run() {
    const progress = consoleProgress();
    await buildWorkers(progress);

    const [producer] = WORKERS;
    if (producer === undefined) {
      throw new Error("invariant: the producer is the first Worker");
    }
    const weighed = weighBundle(await readMetafile(producer));
    if (!weighed.ok) {
      throw new Failure(
        `${producer.bundleDirectory}/bundle-meta.json names no entry point. Run \`pnpm build\` again.`,
      );
    }
    progress.line(`  producer ${describeWeight(weighed.value, PRODUCER_START_UP_BUDGET_BYTES)}`);
    const complaints = judgeBundle(weighed.value, PRODUCER_START_UP_BUDGET_BYTES);
    for (const complaint of complaints) {
      progress.line(`✗ The producer's ${complaint}`);
    }
    return complaints.length === 0 ? 0 : 1;
  },
});
