/**
 * `pnpm load`: production bundles under load on this machine, and the proof that every click was counted once. Flags in
 * load-plan.ts, steps in run-load.ts. Exit code 0 only when the run held.
 */
import { runInOwnGroup } from "@hopline/testkit/console/own-process-group";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";

import { readLoadPlan } from "./load-plan.ts";
import { runLoad } from "./run-load.ts";

await runCommand(() => {
  const plan = readLoadPlan();
  return runInOwnGroup(async (signal) => {
    const command = ["pnpm load", ...process.argv.slice(2)].join(" ");
    const hasHeld = await runLoad({ plan, command, progress: consoleProgress(), signal });
    return hasHeld ? 0 : 1;
  });
});
