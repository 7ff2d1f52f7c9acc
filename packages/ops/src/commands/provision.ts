/** `pnpm run provision`: makes the KV namespaces, queues and secrets that the Workers need. May be run again at any time. */
import { defineCommand } from "citty";

import type { Progress } from "@hopline/testkit/console/progress";
import { accountArg, connectAccount } from "../deploy/account.ts";
import { envArg, readEnvironment } from "../deploy/environments.ts";
import { describeFreePlan } from "../deploy/free-plan.ts";
import {
  describePlan,
  EMPTY_ACCOUNT,
  listWantedResources,
  planProvision,
  planSecrets,
  type ProvisionPlan,
} from "../deploy/plan-provision.ts";
import { provision, readProvisioning } from "../deploy/provision.ts";
import { readSecrets } from "../deploy/secrets.ts";
import { createTools, type Tools } from "../deploy/tools.ts";
import { readWorkerConfigs } from "../deploy/worker-config.ts";

export const example = "pnpm run provision --env staging --dry-run";

export default defineCommand({
  meta: {
    name: "pnpm run provision",
    description: "Makes what the Workers need in the Cloudflare account: KV namespaces, queues, secrets",
  },
  args: {
    env: envArg,
    account: accountArg,
    subdomain: { type: "string", description: "In a new account: the name for <name>.workers.dev" },
    "dry-run": { type: "boolean", default: false, description: "Print what an empty account would get" },
  },
  async run({ args, data }) {
    const tools: Tools = data ?? createTools();
    const { progress } = tools;
    const environment = await readEnvironment(args.env);
    const configs = await readWorkerConfigs();
    describeFreePlan(environment).forEach((line) => progress.line(line));
    if (args["dry-run"]) {
      const wanted = listWantedResources(configs, environment);
      return printPlan(planProvision(wanted, EMPTY_ACCOUNT, environment), environment.name, progress);
    }
    const account = await connectAccount(tools.runWrangler, args.account);
    const { existing, plan } = await progress.during("Reading the account", () =>
      readProvisioning(account, configs, environment),
    );
    await provision(plan, existing, {
      ...tools,
      account,
      environment: environment.name,
      subdomain: args.subdomain ?? null,
    });
    for (const queue of plan.leftOverQueues) {
      progress.line(
        `  ${queue} is no longer used: once it is empty, \`pnpm exec wrangler queues delete ${queue}\`.`,
      );
    }
    const next = tools.isStart === true ? "" : ` Next: pnpm run deploy --env ${environment.name}`;
    progress.line(`${environment.name} has everything it needs.${next}`);
  },
});

async function printPlan(plan: ProvisionPlan, environment: string, progress: Progress): Promise<void> {
  progress.line(`For ${environment}, in an empty account, this would be made:`);
  describePlan(plan).forEach((line) => progress.line(`  ${line}`));
  const known = await readSecrets(environment, [...plan.secrets.values()].flat());
  const { toGenerate, toAsk } = planSecrets(plan, EMPTY_ACCOUNT, new Set(known.keys()));
  progress.line(
    `Secrets to generate: ${toGenerate.join(", ") || "none"}. To ask for: ${toAsk.join(", ") || "none"}.`,
  );
  progress.line("The account was not read, and nothing was made.");
}
