/** Bundles the producer as it would be deployed and starts one workerd for each target. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { buildWorker } from "@hopline/testkit/workspace/build-workers";
import { listModules } from "@hopline/testkit/workspace/bundle-worker";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";

import type { RunningTarget } from "./running-target.ts";
import type { Target } from "./targets.ts";
import { readProducerConfig, type Vars, type WorkerModule, writeWorkerdConfig } from "./workerd-config.ts";
import { startWorkerd } from "./workerd-process.ts";

/** All targets at once, each with bindings, stubs and data of its own. */
export async function startTargets(targets: readonly Target[]): Promise<readonly RunningTarget[]> {
  const configPaths = await writeTargets(targets);
  return Promise.all(
    targets.map(async (target, index) => ({ target, workerd: await startWorkerd(configPaths[index] ?? "") })),
  );
}

/** Writes what each target's workerd is started with: the paths, in their order. */
export async function writeTargets(
  targets: readonly Target[],
  { vars, v8Flags = [] }: { readonly vars?: Vars; readonly v8Flags?: readonly string[] } = {},
): Promise<readonly string[]> {
  const producer = WORKERS.find(({ name }) => name === "producer");
  if (producer === undefined) {
    throw new Error("invariant: there is a producer");
  }
  await buildWorker(producer);
  const config = await readProducerConfig(inWorkspace(producer.configPath), vars);
  const bundle = await readBundle(inWorkspace(producer.bundleDirectory));
  return Promise.all(
    targets.map(({ name, worker, records }) => {
      const modules = worker === "producer" ? bundle : [{ name: "index.js", source: worker.source }];
      const directory = inWorkspace(`dist/bench/${name}`);
      return writeWorkerdConfig(directory, { ...config, modules, records, v8Flags });
    }),
  );
}

async function readBundle(directory: string): Promise<readonly WorkerModule[]> {
  const names = await listModules(directory);
  return Promise.all(
    names.map(async (name) => ({ name, source: await readFile(join(directory, name), "utf8") })),
  );
}
