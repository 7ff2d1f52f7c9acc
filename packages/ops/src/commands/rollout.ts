/**
 * `pnpm run rollout [--env E] [--worker W] (--list | --percent N | --back | --to VERSION)`: which versions of a Worker
 * answer. Code only: neither the database nor a queue changes, so going back takes seconds.
 */
import type { RunWrangler } from "../deploy/account.ts";
import { requirePossible } from "../deploy/deploy.ts";
import { DEFAULT_ENVIRONMENT, readEnvironment } from "../deploy/environments.ts";
import { describeVersions, planRollout, type RolloutWish, toVersionSpecs } from "../deploy/plan-rollout.ts";
import { createVersions } from "../deploy/versions.ts";
import { readWorkerConfigs } from "../deploy/worker-config.ts";
import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags, readWholeNumber, rejectPositionals } from "@hopline/testkit/console/read-flags";
import { runTool } from "@hopline/testkit/console/run-tool";

const USAGE =
  "pnpm run rollout [--env staging|production] [--worker producer|consumer|api] (--list | --percent N | --back | --to VERSION)";

await runCommand(async () => {
  const { values, positionals } = readFlags(
    {
      env: { type: "string", default: DEFAULT_ENVIRONMENT },
      worker: { type: "string", default: "producer" },
      list: { type: "boolean", default: false },
      percent: { type: "string" },
      back: { type: "boolean", default: false },
      to: { type: "string" },
    },
    USAGE,
  );
  rejectPositionals(positionals, USAGE);
  const wish = toWish(values);
  const config = (await readWorkerConfigs()).find(({ source }) => source.name === values.worker);
  if (config === undefined) {
    throw new Failure(`There is no Worker "${values.worker}". Usage: ${USAGE}`);
  }
  const name = config.name + (await readEnvironment(values.env)).suffix;
  const runWrangler: RunWrangler = (wranglerArguments, input) =>
    runTool("wrangler", wranglerArguments, input);
  const deployed = createVersions(name, runWrangler);
  const progress = consoleProgress();
  const { rollout, versions } = await progress.during(`Looking at ${name}`, () => deployed.read());
  if (wish === null) {
    for (const line of describeVersions(versions, rollout)) {
      progress.line(line);
    }
    return 0;
  }
  const shares = requirePossible(name, planRollout(rollout, wish));
  await progress.step(`${name}: ${toVersionSpecs(shares).join(", ")}`, () => deployed.share(shares));
  if (values.worker === "producer" && values.percent === "100") {
    progress.line(`Next, where the API waited for it: pnpm run deploy --env ${values.env} --worker api.`);
  }
  return 0;
});

/** Null asks for the list. */
function toWish(values: {
  readonly list: boolean;
  readonly back: boolean;
  readonly percent?: string | undefined;
  readonly to?: string | undefined;
}): RolloutWish | null {
  const wishes: (RolloutWish | null)[] = [];
  if (values.list) {
    wishes.push(null);
  }
  if (values.back) {
    wishes.push({ kind: "back" });
  }
  if (values.percent !== undefined) {
    const percent = readWholeNumber(values.percent, { name: "--percent", min: 1, max: 100 });
    wishes.push({ kind: "percent", percent });
  }
  if (values.to !== undefined) {
    wishes.push({ kind: "to", versionId: values.to });
  }
  const [wish, second] = wishes;
  if (wish === undefined || second !== undefined) {
    throw new Failure(`Say one thing to do. Usage: ${USAGE}`);
  }
  return wish;
}
