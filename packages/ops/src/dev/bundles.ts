/**
 * The Workers' bundles of `pnpm dev`, and which of them a saved file belongs to.
 *
 * esbuild with wrangler's options gives the bytes that `wrangler deploy` would upload, in a tenth of the time: wrangler
 * alone needs more than a second to start. packages/e2e/test/dev-bundles.test.ts compares the two. The bundles go to the
 * state directory, so that a running `dev` does not write the files of `pnpm build` and `pnpm test`.
 */
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

import { Failure } from "@hopline/testkit/console/failure";
import type { WorkerBundle } from "@hopline/testkit/runtime/worker-options";
import { buildWeb, isWebSource } from "@hopline/testkit/workspace/build-web";
import type { WorkerSource } from "@hopline/testkit/workspace/workspace";
import { build, type BuildFailure } from "esbuild";
import { parse } from "jsonc-parser";

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
    inputs.set(worker, await bundleWorker(worker, join(directory, worker.name)));
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
      scriptPath: join(directory, name, "index.js"),
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

/** Writes index.js and its source map; resolves to the files it is made of. */
async function bundleWorker({ name, configPath }: Source, outdir: string): Promise<ReadonlySet<string>> {
  const config = await readConfig(configPath);
  const root = dirname(configPath);
  try {
    // What wrangler's bundleWorker passes to esbuild for `wrangler deploy`.
    const { metafile } = await build({
      entryPoints: [resolve(root, config.main)],
      absWorkingDir: root,
      outdir,
      entryNames: "index",
      bundle: true,
      external: ["__STATIC_CONTENT_MANIFEST", "cloudflare:*", "node:*"],
      format: "esm",
      target: "es2024",
      supported: { "import-source": true, using: true },
      minify: config.minify,
      keepNames: false,
      sourcemap: true,
      sourceRoot: outdir,
      metafile: true,
      conditions: ["workerd", "worker", "browser"],
      define: {
        "navigator.userAgent": '"Cloudflare-Workers"',
        "process.env.NODE_ENV": '"production"',
        "global.process.env.NODE_ENV": '"production"',
        "globalThis.process.env.NODE_ENV": '"production"',
      },
      loader: { ".js": "jsx", ".mjs": "jsx", ".cjs": "jsx" },
      logLevel: "silent",
    });
    return new Set(Object.keys(metafile.inputs).map((path) => resolve(root, path)));
  } catch (cause) {
    throw new Failure(`The ${name} could not be bundled: ${describeFailure(cause, root)}`, { cause });
  }
}

async function readConfig(path: string): Promise<{ readonly main: string; readonly minify: boolean }> {
  const config: unknown = parse(await readFile(path, "utf8"), [], { allowTrailingComma: true });
  if (
    typeof config !== "object" ||
    config === null ||
    !("main" in config) ||
    typeof config.main !== "string"
  ) {
    throw new Failure(`${path} names no "main".`);
  }
  return { main: config.main, minify: "minify" in config && config.minify === true };
}

function describeFailure(cause: unknown, root: string): string {
  const errors = isBuildFailure(cause) ? cause.errors : [];
  const lines = errors.map(({ text, location }) => {
    const path = location === null ? "" : relative(process.cwd(), resolve(root, location.file));
    return location === null ? text : `${text} (${path}:${location.line}:${location.column})`;
  });
  return lines.length === 0 ? String(cause) : lines.join("; ");
}

function isBuildFailure(cause: unknown): cause is BuildFailure {
  return cause instanceof Error && "errors" in cause && Array.isArray(cause.errors);
}
