/** `pnpm check`: everything that can be said about the code without running it. Tells every fault, not only the first. */
import { type CheckStep, listCheckSteps } from "../workspace/check-steps.ts";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";

/** CI has two cores, and most of the tools use more than one thread. */
const STEPS_AT_ONCE = 2;

await runCommand(async () => {
  const progress = consoleProgress();
  const startedAtMs = performance.now();
  const waiting = [...(await listCheckSteps())];
  const total = waiting.length;
  let failures = 0;

  const check = async ({ name, run }: CheckStep): Promise<void> => {
    const stepStartedAtMs = performance.now();
    const { exitCode, output } = await progress.during(name, run);
    const durationMs = performance.now() - stepStartedAtMs;
    if (exitCode === 0) {
      progress.done(name, durationMs);
      return;
    }
    failures += 1;
    progress.failed(name, durationMs);
    progress.line(`\n${output}\n`);
  };
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await check(next);
    }
  };
  await Promise.all(Array.from({ length: STEPS_AT_ONCE }, work));

  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  progress.line(
    failures === 0
      ? `All ${total} checks passed in ${seconds} s.`
      : `✗ ${failures} of ${total} checks failed.`,
  );
  return failures === 0 ? 0 : 1;
});
