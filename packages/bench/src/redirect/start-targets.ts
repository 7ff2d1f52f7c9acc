/** Bundles the producer as it would be deployed and starts one workerd for each target. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { buildWorker } from "@hopline/testkit/workspace/build-workers";
import { listModules } from "@hopline/testkit/workspace/bundle-worker";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";

import type { RunningTarget } from "./running-target.ts";
import type { Target } from "./targets.ts";
import { readProducerConfig, type WorkerModule, writeWorkerdConfig } from "./workerd-config.ts";
import { startWorkerd } from "./workerd-process.ts";

/** All targets at once, each with bindings, stubs and data of its own. */
export async function startTargets(targets: readonly Target[]): Promise<readonly RunningTarget[]> {
  const producer = WORKERS.find(({ name }) => name === "producer");
  if (producer === undefined) {
    throw new Error("invariant: there is a producer");
  }
  await buildWorker(producer);
  const config = await readProducerConfig(inWorkspace(producer.configPath));
  const bundle = await readBundle(inWorkspace(producer.bundleDirectory));
  return Promise.all(
    targets.map(async (target) => {
      const { name, worker, records } = target;
      const modules = worker === "producer" ? bundle : [{ name: "index.js", source: worker.source }];
      const configPath = await writeWorkerdConfig(inWorkspace(`dist/bench/${name}`), {
        ...config,
        modules,
        records,
      });
      return { target, workerd: await startWorkerd(configPath) };
    }),
  );
}

async function readBundle(directory: string): Promise<readonly WorkerModule[]> {
  const names = await listModules(directory);
  return Promise.all(
    names.map(async (name) => ({ name, source: await readFile(join(directory, name), "utf8") })),
  );
}
