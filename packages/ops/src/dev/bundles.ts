/**
 * The Workers' bundles of `pnpm dev`, and which of them a saved file belongs to.
 *
 * They go to the state directory, so that a running `dev` does not write the files of `pnpm build` and `pnpm test`.
 */
import { dirname, join, resolve } from "node:path";

import type { WorkerBundle } from "@hopline/testkit/runtime/worker-options";
import { bundleWorker, MAIN_MODULE } from "@hopline/testkit/workspace/bundle-worker";
import { buildWeb, isWebSource } from "@hopline/testkit/workspace/build-web";
import type { WorkerSource } from "@hopline/testkit/workspace/workspace";

/** After a failure it is not known what the Worker would be made of: any of these may repair it. */
const ANY_SOURCE = /\.(?:ts|tsx|js|mjs|json|jsonc|html|txt|sql)$/;

/** The paths of `web`, like all others here, are absolute. */
export type Source = Pick<WorkerSource, "name" | "configPath" | "web">;
export type Bundles = ReturnType<typeof createBundles>;

/** `directory`: where the bundles go. Paths, `configPath` included, are absolute. */
export function createBundles(workers: readonly Source[], directory: string) {
  const inputs = new Map<Source, ReadonlySet<string> | null>();

  const bundle = async (worker: Source): Promise<void> => {
    inputs.set(worker, null);
    const { inputs: sources } = await bundleWorker(worker, join(directory, worker.name));
    const root = dirname(worker.configPath);
    inputs.set(worker, new Set(Object.keys(sources).map((path) => resolve(root, path))));
  };
  const bundleWeb = async ({ web }: Source): Promise<void> => {
    if (web !== undefined) {
      await buildWeb({ root: web.root, directory: join(directory, "web") });
    }
  };
  const bundleAll = async (chosen: readonly Source[]): Promise<void> => {
    const settled = await Promise.allSettled(chosen.flatMap((worker) => [bundle(worker), bundleWeb(worker)]));
    for (const result of settled) {
      if (result.status === "rejected") {
        throw result.reason;
      }
    }
  };
  return {
    /** What the local runtime starts. */
    forRuntime: workers.map(({ name, configPath, web }): WorkerBundle => ({
      configPath,
      scriptPath: join(directory, name, MAIN_MODULE),
      ...(web === undefined ? {} : { assetsDirectory: join(directory, "web") }),
    })),
    /** Bundles all Workers. Rejects with a `Failure` that names the Worker and the place of its first error. */
    bundleAll: () => bundleAll(workers),
    /** Bundles the Workers that one of the files belongs to; resolves to their names. Rejects as `bundleAll` does. */
    bundleChanged: async (paths: readonly string[]): Promise<readonly string[]> => {
      const changed = workers.filter((worker) => {
        const known = inputs.get(worker) ?? null;
        return paths.some(
          (path) =>
            path === worker.configPath ||
            (worker.web !== undefined && isWebSource(path, worker.web)) ||
            (known === null ? ANY_SOURCE.test(path) : known.has(path)),
        );
      });
      await bundleAll(changed);
      return changed.map(({ name }) => name);
    },
  };
}
