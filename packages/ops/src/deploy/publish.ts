/** Hands a Worker of one environment to wrangler: the generated configuration, the upload, its hosts and triggers. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { Failure } from "@hopline/testkit/console/failure";
import { summariseWranglerError } from "@hopline/testkit/workspace/build-workers";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import type { Account } from "./account.ts";
import type { Environment } from "./environments.ts";
import { deployConfigPath, forEnvironment, hostsOf } from "./for-environment.ts";
import { detachHosts } from "./hosts.ts";
import type { Tools } from "./tools.ts";
import type { WorkerConfig } from "./worker-config.ts";

export type Publication = Pick<Tools, "fetch" | "progress" | "runWrangler" | "wait"> & {
  /** Null for a dry run. */
  readonly account: Account | null;
  readonly configs: readonly WorkerConfig[];
  readonly environment: Environment;
  readonly kvIds: ReadonlyMap<string, string>;
  /** Marks the versions with the commit they were made from. */
  readonly tag: string | null;
};

/** Writes the configuration of every Worker. Wrangler uploads to the account that was read. */
export async function writeConfigurations(publication: Publication): Promise<void> {
  const { account, configs } = publication;
  const workerNames = configs.map(({ name }) => name);
  for (const config of configs) {
    const generated = forEnvironment(config, { ...publication, workerNames });
    const text = JSON.stringify({ ...generated, account_id: account?.id }, null, 2);
    const path = generatedPath(config, publication.environment);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${text}\n`);
  }
}

/** Uploads with `deploy` or `versions upload`. Rejects with a `Failure` that names the Worker. */
export async function upload(
  config: WorkerConfig,
  wranglerArguments: readonly string[],
  publication: Publication,
): Promise<void> {
  const { environment, tag } = publication;
  const tagged = tag === null ? [] : ["--tag", tag];
  await run(config, [...wranglerArguments, ...tagged], publication, {
    failed: `${config.name}${environment.suffix} was not deployed`,
  });
}

/** Publishes hosts, crons and queues of a Worker whose version is there: what no version contains. */
export async function publishTriggers(config: WorkerConfig, publication: Publication): Promise<void> {
  const worker = config.name + publication.environment.suffix;
  await run(config, ["triggers", "deploy"], publication, {
    failed: `Hosts and triggers of ${worker} were not published`,
  });
  await detachLeftHosts(config, publication);
}

/** Wrangler leaves a host alone that was the last one in the list. */
export async function detachLeftHosts(
  config: WorkerConfig,
  { account, environment, progress }: Publication,
): Promise<void> {
  const worker = config.name + environment.suffix;
  const detached = account === null ? [] : await detachHosts(account, worker, hostsOf(config, environment));
  if (detached.length > 0) {
    progress.line(`  ${worker} no longer answers on ${detached.join(", ")}, which left environments.jsonc.`);
  }
}

export function generatedPath({ source }: WorkerConfig, environment: Environment): string {
  return inWorkspace(deployConfigPath(source.name, environment.name));
}

async function run(
  config: WorkerConfig,
  [verb = "", ...rest]: readonly string[],
  { environment, runWrangler }: Publication,
  { failed }: { readonly failed: string },
): Promise<void> {
  const path = generatedPath(config, environment);
  const { exitCode, output } = await runWrangler([verb, ...rest, "--config", path]);
  if (exitCode !== 0) {
    throw new Failure(`${failed}: ${summariseWranglerError(output)}`);
  }
}
