/** `pnpm build`: the three bundles as they would be deployed, and the producer's start-up budget. */
import {
  describeWeight,
  judgeBundle,
  PRODUCER_START_UP_BUDGET_BYTES,
  weighBundle,
} from "../workspace/bundle-budget.ts";
import { buildWorkers, readMetafile } from "../workspace/build-workers.ts";
import { Failure } from "../console/failure.ts";
import { consoleProgress, runCommand } from "../console/progress.ts";
import { WORKERS } from "../workspace/workspace.ts";

await runCommand(async () => {
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
});
