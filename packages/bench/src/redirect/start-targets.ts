/** Bundles the producer as it would be deployed and starts one workerd for each target. */
import { buildWorker } from "@hopline/testkit/workspace/build-workers";
import { Failure } from "@hopline/testkit/console/failure";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";

import { readProducerConfig } from "./producer-bindings.ts";
import type { RunningTarget } from "./running-target.ts";
import type { Target } from "./targets.ts";
import { readBundle, writeWorkerdConfig } from "./workerd-config.ts";
import { startWorkerd } from "./workerd-process.ts";

/** Where the bench writes what it serves; emptied target by target. Never committed. */
const SERVED = "dist/bench";

/** All targets at once, each with bindings, stubs and data of its own. */
export async function startTargets(targets: readonly Target[]): Promise<readonly RunningTarget[]> {
  const source = WORKERS.find(({ name }) => name === "producer");
  if (source === undefined) {
    throw new Error("invariant: there is a producer");
  }
  await buildWorker(source);
  const config = await readProducerConfig(inWorkspace(source.configPath));
  const bundle = await readBundle(inWorkspace(source.bundleDirectory));
  const running: RunningTarget[] = [];
  for (const target of targets) {
    const modules =
      target.worker === "producer" ? bundle : [{ name: "index.js", source: target.worker.source }];
    const configPath = await writeWorkerdConfig(inWorkspace(`${SERVED}/${target.name}`), {
      ...config,
      modules,
      records: target.records,
    });
    running.push({ target, workerd: await startWorkerd(configPath) });
  }
  return running;
}

/** Throws a `Failure` where there is no /proc to read CPU times from. */
export function requireProc(): void {
  if (process.platform !== "linux") {
    throw new Failure(
      "The redirect bench reads CPU times from /proc and needs Linux. `pnpm bench --only cache` runs anywhere.",
    );
  }
}
