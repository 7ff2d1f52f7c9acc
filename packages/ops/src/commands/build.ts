/** `pnpm build`: the Workers' bundles and the web app as they would be deployed, and whether both budgets are kept. */
import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { buildWorkers, readMetafile } from "@hopline/testkit/workspace/build-workers";
import {
  describeWeight,
  judgeBundle,
  PRODUCER_START_UP_BUDGET_BYTES,
  weighBundle,
} from "@hopline/testkit/workspace/bundle-budget";
import { weighPages, WEB_BUDGET_BYTES } from "@hopline/testkit/workspace/web-budget";
import { WORKERS } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";

export const example = "pnpm build";
export const exitCodes = { 1: "a Worker could not be bundled, or a budget is exceeded" };

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
    const [heaviest = { page: "none", bytes: 0 }] = await weighPages("dist/web");
    const kilobytes = `${(heaviest.bytes / 1024).toFixed(1)} KB of ${WEB_BUDGET_BYTES / 1024} KB`;
    progress.line(`  dashboard first JavaScript at most ${kilobytes}, gzipped (${heaviest.page})`);
    return complaints.length === 0 && heaviest.bytes <= WEB_BUDGET_BYTES ? 0 : 1;
  },
});
