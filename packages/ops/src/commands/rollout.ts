/**
 * `pnpm run rollout`: which versions of a Worker answer. Code only: neither the database nor a queue changes, so going
 * back takes seconds.
 */
import { defineCommand } from "citty";

import { UsageFailure } from "@hopline/testkit/console/failure";
import { readWholeNumber } from "@hopline/testkit/console/read-whole-number";
import { WORKERS } from "@hopline/testkit/workspace/workspace";
import { accountArg, connectAccount, listKvNamespaces } from "../deploy/account.ts";
import { requireOwnHosts } from "../deploy/deploy.ts";
import { envArg, readEnvironment } from "../deploy/environments.ts";
import { describeShares, describeVersions, planRollout, type RolloutWish } from "../deploy/plan-rollout.ts";
import { publishTriggers, writeConfigurations } from "../deploy/publish.ts";
import { createTools, type Tools } from "../deploy/tools.ts";
import { readRollout, shareTraffic } from "../deploy/versions.ts";
import { readWorkerConfigs } from "../deploy/worker-config.ts";

export const example = "pnpm run rollout --env production --percent 50";

export default defineCommand({
  meta: {
    name: "pnpm run rollout",
    description: "Lists the versions of a Worker, gives a new one more of the traffic, or goes back",
  },
  args: {
    env: envArg,
    account: accountArg,
    worker: {
      type: "enum",
      options: WORKERS.map(({ name }) => name),
      default: "producer",
      description: "The Worker",
    },
    list: { type: "boolean", default: false, description: "List versions, commits and shares" },
    percent: { type: "string", description: "The newer version's share of the traffic, 1 to 100" },
    back: { type: "boolean", default: false, description: "Go back to the version before" },
    to: { type: "string", description: "Go to the version with this id" },
    "take-over": {
      type: "boolean",
      default: false,
      description: "With --percent 100: switch hosts over that lead elsewhere today",
    },
  },
  async run({ args, data }) {
    const tools: Tools = data ?? createTools();
    const { progress, runWrangler } = tools;
    const wish = toWish(args);
    const configs = await readWorkerConfigs();
    const environment = await readEnvironment(args.env);
    const config = configs.find(({ source }) => source.name === args.worker);
    if (config === undefined) {
      throw new Error("invariant: the worker is one of WORKERS");
    }
    const worker = config.name + environment.suffix;
    const account = await connectAccount(runWrangler, args.account);
    const rollout = await progress.during(`Reading ${worker}`, () => readRollout(account, worker));
    if (wish === null) {
      describeVersions(rollout).forEach((line) => progress.line(line));
      return;
    }
    const shares = planRollout(rollout, wish);
    const isComplete = wish.kind === "percent" && wish.percent === 100;
    if (isComplete && !args["take-over"]) {
      await requireOwnHosts(account, { configs, environment }, [config]);
    }
    // The same once more would be the deployment that `--back` goes to.
    if (describeShares(shares) === describeShares(rollout.deployments[0] ?? [])) {
      progress.line(`${worker}: ${describeShares(shares)} already; --to goes to another version.`);
    } else {
      await progress.step(`${worker}: ${describeShares(shares)}`, () =>
        shareTraffic(account, worker, shares),
      );
    }
    if (isComplete) {
      const kvIds = await listKvNamespaces(account);
      const publication = { ...tools, account, configs, environment, kvIds, tag: null };
      await writeConfigurations(publication);
      await progress.step(`Hosts and triggers of ${worker}`, () => publishTriggers(config, publication));
    }
    if (isComplete && args.worker === "producer") {
      progress.line(`Next, if the API waited: pnpm run deploy --env ${args.env} --worker api.`);
    }
  },
});

type WishArgs = {
  readonly list: boolean;
  readonly back: boolean;
  readonly percent?: string | undefined;
  readonly to?: string | undefined;
};

/** Null asks for the list. */
function toWish({ list, back, percent, to }: WishArgs): RolloutWish | null {
  if ([list, back, percent !== undefined, to !== undefined].filter(Boolean).length !== 1) {
    throw new UsageFailure("Give exactly one of --list, --percent, --back and --to.");
  }
  if (percent !== undefined) {
    const bounds = { name: "--percent", min: 1, max: 100 };
    return { kind: "percent", percent: readWholeNumber(percent, bounds) };
  }
  if (to !== undefined) {
    return { kind: "to", versionId: to };
  }
  return back ? { kind: "back" } : null;
}
