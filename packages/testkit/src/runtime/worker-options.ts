/**
 * Turns a Worker's own wrangler.jsonc into what Miniflare needs, by wrangler's own conversion: bindings, queues and
 * their batch settings, KV, Durable Objects, rate limits and crons are declared there and nowhere else.
 */
import { basename, dirname, join } from "node:path";

import type { V4MiniflareOptions } from "miniflare";

import { Failure } from "../console/failure.ts";
import { listModules } from "../workspace/bundle-worker.ts";

type Workers<Options> = Options extends { workers: readonly (infer Worker)[] } ? Worker : never;
export type LocalWorkerOptions = Workers<V4MiniflareOptions> & { readonly name: string };

export type WorkerBundle = {
  /** Absolute path of the Worker's wrangler.jsonc. */
  readonly configPath: string;
  /** Absolute path of the module that it begins with. Those beside it are part of its bundle. */
  readonly scriptPath: string;
  /** Absolute path of its assets, in place of the folder that its configuration names. */
  readonly assetsDirectory?: string;
};

/**
 * Options for one Worker. `vars` replace or complete those of the configuration: local endpoints and secrets. A
 * variable that the configuration does not know is harmless. Rejects with a `Failure` when the file cannot be read.
 */
export async function readWorkerOptions(
  bundle: WorkerBundle,
  vars: Readonly<Record<string, string>>,
): Promise<LocalWorkerOptions> {
  // Wrangler warns of secrets that no .dev.vars has; they arrive in `vars`. It reads its log level when it logs.
  process.env["WRANGLER_LOG"] ??= "error";
  const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import("wrangler");
  const config = unstable_readConfig({ config: bundle.configPath });
  if (config.name === undefined) {
    throw new Failure(`${bundle.configPath} gives its Worker no name.`);
  }
  const { workerOptions } = unstable_getMiniflareWorkerOptions(
    config,
    undefined,
    bundle.assetsDirectory === undefined
      ? {}
      : { overrides: { assets: { directory: bundle.assetsDirectory } } },
  );
  const directory = dirname(bundle.scriptPath);
  const main = basename(bundle.scriptPath);
  const others = (await listModules(directory)).filter((name) => name !== main);
  const declaredVars: unknown = workerOptions["bindings"];
  return {
    ...workerOptions,
    name: config.name,
    bindings: { ...(typeof declaredVars === "object" ? declaredVars : {}), ...vars },
    modules: [main, ...others].map((name) => ({ type: "ESModule", path: join(directory, name) })),
    // workerd refuses a module whose path leads out of its root; wrangler's value is where the sources are.
    rootPath: directory,
    modulesRoot: directory,
    // The visitor's address is ours to pass on; without this, outgoing requests take a detour to lose the header.
    stripCfConnectingIp: false,
  };
}

/** Names of the queue bindings of a Worker. */
export function queueBindingNames(worker: LocalWorkerOptions): readonly string[] {
  const producers = worker.queueProducers ?? {};
  return Array.isArray(producers) ? producers : Object.keys(producers);
}
