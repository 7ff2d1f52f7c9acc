/**
 * Deploys the Workers of one environment, one after the other, from configurations that are written for it just before.
 *
 * A step that fails ends the run: what was deployed stays, and the next run starts from there. Nothing is rolled back by
 * itself; formats and schema are read by the version before, too, so a half finished run is a valid state.
 *
 * With a share for the new producer, who writes what the producer reads is not deployed: most visitors still meet the old
 * one.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { summariseWranglerError } from "@hopline/testkit/workspace/build-workers";
import { Failure } from "@hopline/testkit/console/failure";
import type { Progress } from "@hopline/testkit/console/progress";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import type { RunWrangler } from "./account.ts";
import type { DeployedWorkers } from "./deploy-order.ts";
import { readDeployedWorker } from "./deployed-worker.ts";
import type { Environment } from "./environments.ts";
import { deployConfigPath, forEnvironment } from "./for-environment.ts";
import { type DeployPlan, type DeployWish, planDeploy } from "./plan-deploy.ts";
import { planCanary } from "./plan-rollout.ts";
import { createVersions, readVersionId } from "./versions.ts";
import type { WorkerConfig } from "./worker-config.ts";

export type DeployOptions = DeployWish & {
  readonly configs: readonly WorkerConfig[];
  readonly environment: Environment;
  readonly kvIds: ReadonlyMap<string, string>;
  /** Bundles and checks, offline, and uploads nothing. */
  readonly isDryRun: boolean;
  /** Marks the versions, so that one can be found again: the commit. */
  readonly tag: string | null;
};

export type DeployDeps = { readonly runWrangler: RunWrangler; readonly progress: Progress };

/** Deploys in order and resolves to what was done. Rejects with a `Failure` that names the Worker. */
export async function deploy(options: DeployOptions, deps: DeployDeps): Promise<DeployPlan> {
  const { configs, environment, isDryRun } = options;
  const deployed = isDryRun ? null : await readDeployed(configs, environment, deps);
  const plan = planDeploy(configs, options, deployed);
  plan.lines.forEach((line) => deps.progress.line(`  ${line}`));
  await writeConfigurations(options);
  for (const config of plan.configs) {
    const isGradual = config.source.name === "producer" && options.percent < 100;
    await (isGradual ? deployShare(config, options, deps) : deployWhole(config, options, deps));
  }
  return plan;
}

/** What answers in the account now. Rejects with a `Failure` when it cannot be asked. */
export async function readDeployed(
  configs: readonly WorkerConfig[],
  environment: Environment,
  { progress, runWrangler }: DeployDeps,
): Promise<DeployedWorkers> {
  const found = await progress.during(`Looking at ${environment.name}`, () =>
    Promise.all(
      configs.map(async ({ name }) => {
        const worker = await readDeployedWorker(name + environment.suffix, runWrangler);
        return worker === null ? [] : [[name, worker] as const];
      }),
    ),
  );
  return new Map(found.flat());
}

async function writeConfigurations({ configs, environment, kvIds }: DeployOptions): Promise<void> {
  const workerNames = configs.map(({ name }) => name);
  for (const config of configs) {
    const path = inWorkspace(deployConfigPath(config.source.name, environment.name));
    const written = forEnvironment(config, { environment, workerNames, kvIds });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify(written, null, 2)}\n`);
  }
}

async function deployWhole(config: WorkerConfig, options: DeployOptions, deps: DeployDeps): Promise<void> {
  const name = config.name + options.environment.suffix;
  const dryRun = options.isDryRun ? ["--dry-run", "--outdir", outDirectory(config, options)] : [];
  await deps.progress.step(options.isDryRun ? `${name}: bundled, not uploaded` : name, () =>
    run(config, ["deploy", ...dryRun], options, deps),
  );
}

async function deployShare(config: WorkerConfig, options: DeployOptions, deps: DeployDeps): Promise<void> {
  const name = config.name + options.environment.suffix;
  if (options.isDryRun) {
    const upload = ["versions", "upload", "--dry-run", "--outdir", outDirectory(config, options)];
    await deps.progress.step(`${name}: bundled, not uploaded`, () => run(config, upload, options, deps));
    return;
  }
  const { percent } = options;
  await deps.progress.step(`${name}: ${percent} % on the new version`, async () => {
    const versions = createVersions(name, deps.runWrangler);
    const { rollout } = await versions.read();
    // Asked before the upload: a version that cannot answer should not lie about.
    requirePossible(name, planCanary(rollout, "", percent));
    const versionId = readVersionId(await run(config, ["versions", "upload"], options, deps));
    await versions.share(requirePossible(name, planCanary(rollout, versionId, percent)));
  });
}

/** The value of a planned rollout; a `Failure` that names the Worker where it is not possible. */
export function requirePossible<T>(
  worker: string,
  planned:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: { readonly detail: string } },
): T {
  if (!planned.ok) {
    throw new Failure(`${worker}: ${planned.error.detail}.`);
  }
  return planned.value;
}

async function run(
  config: WorkerConfig,
  wranglerArguments: readonly string[],
  { environment, tag }: DeployOptions,
  { runWrangler }: DeployDeps,
): Promise<string> {
  const configPath = inWorkspace(deployConfigPath(config.source.name, environment.name));
  const tagged = tag === null ? [] : ["--tag", tag];
  const { exitCode, output } = await runWrangler([...wranglerArguments, "--config", configPath, ...tagged]);
  if (exitCode !== 0) {
    throw new Failure(
      `${config.name}${environment.suffix} was not deployed: ${summariseWranglerError(output)}`,
    );
  }
  return output;
}

function outDirectory(config: WorkerConfig, { environment }: DeployOptions): string {
  return inWorkspace(`${dirname(deployConfigPath(config.source.name, environment.name))}/bundle`);
}
