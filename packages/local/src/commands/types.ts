/** `pnpm types [--check]`: the Workers' env types from their configurations. */
import { Failure } from "../console/failure.ts";
import { generateTypes } from "../workspace/generate-types.ts";
import { consoleProgress, runCommand } from "../console/progress.ts";
import { readFlags } from "../console/read-flags.ts";
import { WORKERS } from "../workspace/workspace.ts";

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
