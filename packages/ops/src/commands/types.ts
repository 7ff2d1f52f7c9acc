/** `pnpm types [--check]`: the Workers' env types from their configurations. */
import { Failure } from "@hopline/testkit/console/failure";
import { generateTypes } from "../workspace/generate-types.ts";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags } from "@hopline/testkit/console/read-flags";
import { WORKERS } from "@hopline/testkit/workspace/workspace";

await runCommand(async () => {
  const { values } = readFlags({ check: { type: "boolean", default: false } }, "pnpm types [--check]");
  const progress = consoleProgress();
  const settled = await Promise.allSettled(
    WORKERS.map((worker) => progress.step(worker.envTypesPath, () => generateTypes(worker, values.check))),
  );
  const failures = settled.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  for (const failure of failures) {
    if (!(failure instanceof Failure)) {
      throw failure;
    }
    progress.line(`✗ ${failure.message}`);
  }
  return failures.length === 0 ? 0 : 1;
});
