/**
 * Deploys the Workers of one environment, one after the other, from configurations that are generated just before.
 *
 * A step that fails ends the run: what was deployed stays, and the next run continues from there. Nothing is rolled back
 * automatically; the version before can read formats and schema, too, so a run that stopped in the middle leaves a valid state.
 *
 * With a share for the new producer, the Workers that write what it reads wait: most visitors still meet the old one.
 */
import { dirname } from "node:path";

import { buildWorker } from "@hopline/testkit/workspace/build-workers";
import { Failure } from "@hopline/testkit/console/failure";
import type { Account } from "./account.ts";
import { listWantedHosts } from "./for-environment.ts";
import { describeFreePlan } from "./free-plan.ts";
import { requireFreeHosts } from "./hosts.ts";
import {
  type DeployedWorkers,
  type DeployPlan,
  type DeployWish,
  FRONT_DOOR,
  planDeploy,
} from "./plan-deploy.ts";
import { findFault, isHealthy, type Place } from "./prove.ts";
import { requireSettled, splitTraffic } from "./plan-rollout.ts";
import {
  detachLeftHosts,
  generatedPath,
  type Publication,
  publishTriggers,
  upload,
  writeConfigurations,
} from "./publish.ts";
import { patchSettings, readDeployedWorker, readRollout, shareTraffic } from "./versions.ts";
import type { WorkerConfig } from "./worker-config.ts";

/** A dry run, one without an account, bundles and checks, offline, and uploads nothing. */
export type DeployOptions = DeployWish &
  Publication & {
    /** Hosts that lead elsewhere are switched over at once. */
    readonly canTakeOver: boolean;
    /** Where the new versions are proved; null where they can't be visited. */
    readonly place: Place | null;
  };

/** Deploys in order and resolves to what was done. Rejects with a `Failure` that names the Worker. */
export async function deploy(options: DeployOptions): Promise<DeployPlan> {
  const { account, configs, progress } = options;
  const deployed = account === null ? null : await readDeployed(account, options);
  const plan = planDeploy(configs, options, deployed);
  const lines = [...plan.lines, ...describeFreePlan(options.environment)];
  lines.forEach((line) => progress.line(`  ${line}`));
  if (account !== null && !options.canTakeOver) {
    await requireOwnHosts(account, options, plan.configs);
  }
  const wasHealthy = options.place !== null && account !== null && (await isHealthy(options.place, options));
  await writeConfigurations(options);
  for (const { source } of plan.configs) {
    // Wrangler uploads what the folders hold: a clean clone has none, and an older checkout's would go out under this commit.
    await progress.step(`Bundle of the ${source.name}`, () => buildWorker(source));
  }
  for (const config of plan.configs) {
    const name = config.name + options.environment.suffix;
    const isGradual = config.source.name === FRONT_DOOR && plan.percent < 100;
    const verb = isGradual ? ["versions", "upload"] : ["deploy"];
    if (account === null) {
      const outDirectory = `${dirname(generatedPath(config, options.environment))}/bundle`;
      const dryRun = [...verb, "--dry-run", "--outdir", outDirectory];
      await progress.step(`${name}: bundled, not uploaded`, () => upload(config, dryRun, options));
    } else if (isGradual) {
      await progress.step(`${name}: ${options.percent} % on the new version`, () =>
        deployShare(account, config, { ...options, percent: plan.percent }),
      );
      await prove(account, config, options, wasHealthy);
    } else {
      await progress.step(name, () => upload(config, verb, options));
      await detachLeftHosts(config, options);
      await prove(account, config, options, wasHealthy);
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

/** Asked in the name of the front door, which has at least the draft that provisioning made. */
export async function requireOwnHosts(
  account: Account,
  { configs, environment }: Pick<Publication, "configs" | "environment">,
  published: readonly WorkerConfig[],
): Promise<void> {
  const front = configs.find(({ source }) => source.name === FRONT_DOOR);
  await requireFreeHosts(
    account,
    listWantedHosts(published, environment),
    `${front?.name}${environment.suffix}`,
  );
}

/**
 * Visits what was just deployed. A deployment that answered before and fails now is taken back: the version before can read
 * formats and schema, too. Rejects with a `Failure` that says why.
 */
async function prove(
  account: Account,
  config: WorkerConfig,
  options: DeployOptions,
  wasHealthy: boolean,
): Promise<void> {
  const { place, progress } = options;
  const worker = config.name + options.environment.suffix;
  const { deployments, versions } = await readRollout(account, worker);
  const [shares = [], before] = deployments;
  const [newest] = versions;
  if (newest === undefined || !shares.some(({ versionId }) => versionId === newest.versionId)) {
    throw new Failure(`${worker}: the version that was just uploaded does not answer. Deploy again.`);
  }
  // The consumer can't be reached from outside: the producer's click proves it, which comes after it.
  if (place === null || config.source.name === "consumer" || config.source.name === "dashboard") {
    return;
  }
  if (!wasHealthy) {
    progress.line(`  Not visited: https://${place.host} did not answer before.`);
    return;
  }
  const isFront = config.source.name === FRONT_DOOR;
  const fault = await progress.during(`Visiting https://${place.host}`, () =>
    findFault(place, isFront && shares.length > 1 ? newest.versionId : null, options),
  );
  if (fault === null) {
    progress.line(`  https://${place.host} is healthy, redirects, and counts its clicks.`);
    return;
  }
  const previous = before?.filter(({ versionId }) => versionId !== newest.versionId) ?? [];
  const [back] = previous;
  if (back === undefined) {
    throw new Failure(`${worker} is deployed, but ${fault}. There is no version before to go back to.`);
  }
  await shareTraffic(account, worker, [{ versionId: back.versionId, percent: 100 }]);
  throw new Failure(`${worker}: ${fault}. It is back at the version before, ${back.versionId}.`);
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
  await publishTriggers(config, options);
}
