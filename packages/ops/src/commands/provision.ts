/**
 * `pnpm run provision [--env staging|production] [--dry-run]`: makes what the Workers need in the Cloudflare account:
 * KV namespaces, queues, secrets. May be run as often as one likes.
 */
import { askSecret } from "@hopline/testkit/console/ask-secret";
import { createAccount } from "../deploy/account.ts";
import { DEFAULT_ENVIRONMENT, readEnvironment } from "../deploy/environments.ts";
import { describePlan, EMPTY_ACCOUNT, listWantedResources, planProvision } from "../deploy/plan-provision.ts";
import { planSecrets } from "../deploy/plan-secrets.ts";
import { provision, readExisting } from "../deploy/provision.ts";
import { createSecretFile } from "../deploy/secret-file.ts";
import { readWorkerConfigs } from "../deploy/worker-config.ts";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags, rejectPositionals } from "@hopline/testkit/console/read-flags";
import { runTool } from "@hopline/testkit/console/run-tool";

const USAGE = "pnpm run provision [--env staging|production] [--dry-run]";

await runCommand(async () => {
  const { values, positionals } = readFlags(
    {
      env: { type: "string", default: DEFAULT_ENVIRONMENT },
      "dry-run": { type: "boolean", default: false },
    },
    USAGE,
  );
  rejectPositionals(positionals, USAGE);
  const progress = consoleProgress();
  const environment = await readEnvironment(values.env);
  const wanted = listWantedResources(await readWorkerConfigs(), environment);
  const secretFile = createSecretFile(environment.name);

  if (values["dry-run"]) {
    const plan = planProvision(wanted, EMPTY_ACCOUNT, environment);
    progress.line(`For ${environment.name}, in an empty account, this would be made:`);
    for (const line of describePlan(plan)) {
      progress.line(`  ${line}`);
    }
    const known = new Set([...(await secretFile.read()).keys(), ...Object.keys(process.env)]);
    const { toGenerate, toAsk } = planSecrets(plan, EMPTY_ACCOUNT, known);
    progress.line(
      `Secrets to make: ${toGenerate.join(", ") || "none"}. To ask for: ${toAsk.join(", ") || "none"}.`,
    );
    progress.line("The account was not looked at, and nothing was made.");
    return 0;
  }

  const account = createAccount((wranglerArguments, input) => runTool("wrangler", wranglerArguments, input));
  const existing = await progress.during("Looking at the account", () => readExisting(account, wanted));
  const plan = planProvision(wanted, existing, environment);
  const ask = process.stdin.isTTY ? askSecret : null;
  await provision(plan, existing, { account, secretFile, given: process.env, ask, progress });
  for (const queue of plan.leftOverQueues) {
    progress.line(
      `  ${queue} is no longer used: once it is empty, \`pnpm exec wrangler queues delete ${queue}\`.`,
    );
  }
  progress.line(
    `${environment.name} has everything it needs. Next: pnpm run deploy --env ${environment.name}`,
  );
  return 0;
});
