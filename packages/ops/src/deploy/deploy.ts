/**
 * Deploys the Workers of one environment, one after the other, from configurations that are generated just before.
 *
 * A step that fails ends the run: what was deployed stays, and the next run continues from there. Nothing is rolled back
 * automatically; the version before can read formats and schema, too, so a run that stopped in the middle leaves a valid state.
 *
 * With a share for the new producer, the Workers that write what it reads wait: most visitors still meet the old one.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { buildWorker, summariseWranglerError } from "@hopline/testkit/workspace/build-workers";
import { Failure } from "@hopline/testkit/console/failure";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import type { Account } from "./account.ts";
import type { Environment } from "./environments.ts";
import { deployConfigPath, forEnvironment } from "./for-environment.ts";
import { describeFreePlan } from "./free-plan.ts";
import { type DeployedWorkers, type DeployPlan, type DeployWish, planDeploy } from "./plan-deploy.ts";
import { requireSettled, splitTraffic } from "./plan-rollout.ts";
import type { Tools } from "./tools.ts";
import { patchSettings, readDeployedWorker, readRollout, shareTraffic } from "./versions.ts";
import type { WorkerConfig } from "./worker-config.ts";

export type DeployOptions = DeployWish &
  Pick<Tools, "progress" | "runWrangler"> & {
    /** Null for a dry run: bundles and checks, offline, and uploads nothing. */
    readonly account: Account | null;
    readonly configs: readonly WorkerConfig[];
    readonly environment: Environment;
    readonly kvIds: ReadonlyMap<string, string>;
    /** Marks the versions with the commit they were made from. */
    readonly tag: string | null;
  };

/** Deploys in order and resolves to what was done. Rejects with a `Failure` that names the Worker. */
export async function deploy(options: DeployOptions): Promise<DeployPlan> {
  const { account, configs, progress } = options;
  const deployed = account === null ? null : await readDeployed(account, options);
  const plan = planDeploy(configs, options, deployed);
  [...plan.lines, describeFreePlan(options.environment) ?? []]
    .flat()
    .forEach((line) => progress.line(`  ${line}`));
  await writeConfigurations(options);
  for (const { source } of plan.configs) {
    // Wrangler uploads what the folders hold: a clean clone has none, and an older checkout's would go out under this commit.
    await progress.step(`Bundle of the ${source.name}`, () => buildWorker(source));
  }
  for (const config of plan.configs) {
    const name = config.name + options.environment.suffix;
    const isGradual = config.source.name === "producer" && plan.percent < 100;
    const verb = isGradual ? ["versions", "upload"] : ["deploy"];
    if (account === null) {
      const outDirectory = `${dirname(generatedPath(config, options))}/bundle`;
      const dryRun = [...verb, "--dry-run", "--outdir", outDirectory];
      await progress.step(`${name}: bundled, not uploaded`, () => upload(config, dryRun, options));
    } else if (isGradual) {
      await progress.step(`${name}: ${options.percent} % on the new version`, () =>
        deployShare(account, config, { ...options, percent: plan.percent }),
      );
    } else {
      await progress.step(name, () => upload(config, verb, options));
    }
  }
  return plan;
}

async function readDeployed(
  account: Account,
  { configs, environment, progress }: DeployOptions,
): Promise<DeployedWorkers> {
  const found = await progress.during(`Reading what ${environment.name} has deployed`, () =>
    Promise.all(
      configs.map(async ({ name }) => {
        const worker = await readDeployedWorker(account, name + environment.suffix);
        return worker === null ? [] : [[name, worker] as const];
      }),
    ),
  );
  return new Map(found.flat());
}

async function writeConfigurations(options: DeployOptions): Promise<void> {
  const { account, configs } = options;
  const workerNames = configs.map(({ name }) => name);
  for (const config of configs) {
    const generated = forEnvironment(config, { ...options, workerNames });
    // Wrangler uploads to the account that was read.
    const text = JSON.stringify({ ...generated, account_id: account?.id }, null, 2);
    await mkdir(dirname(generatedPath(config, options)), { recursive: true });
    await writeFile(generatedPath(config, options), `${text}\n`);
  }
}

async function deployShare(account: Account, config: WorkerConfig, options: DeployOptions): Promise<void> {
  const worker = config.name + options.environment.suffix;
  const before = await readRollout(account, worker);
  // Checked before the upload: a version that cannot be used should not be left behind.
  const stable = requireSettled(before);
  await upload(config, ["versions", "upload"], options);
  const [newest] = (await readRollout(account, worker)).versions;
  if (newest === undefined || newest.number <= (before.versions[0]?.number ?? 0)) {
    throw new Failure(
      `${worker}: Cloudflare does not list the version that was just uploaded. Deploy again.`,
    );
  }
  await shareTraffic(account, worker, splitTraffic(newest.versionId, options.percent, stable));
  await patchSettings(account, worker, config);
}

async function upload(
  config: WorkerConfig,
  wranglerArguments: readonly string[],
  options: DeployOptions,
): Promise<void> {
  const { environment, runWrangler, tag } = options;
  const tagged = tag === null ? [] : ["--tag", tag];
  const path = generatedPath(config, options);
  const { exitCode, output } = await runWrangler([...wranglerArguments, "--config", path, ...tagged]);
  if (exitCode !== 0) {
    throw new Failure(
      `${config.name}${environment.suffix} was not deployed: ${summariseWranglerError(output)}`,
    );
  }
}

function generatedPath({ source }: WorkerConfig, { environment }: DeployOptions): string {
  return inWorkspace(deployConfigPath(source.name, environment.name));
}
