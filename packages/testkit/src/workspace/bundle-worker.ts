/**
 * Bundles a Worker with esbuild: for `pnpm dev`, `pnpm build`, tests and deployments alike, so that what runs locally is what is
 * uploaded. What is reached by `import()` goes into modules of its own. In one file, as wrangler makes it, everything that such
 * an import shares with the start is parsed twice when an isolate starts: 80 of the API's 310 ms.
 */
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { build, type BuildFailure, type Metafile, type Plugin } from "esbuild";
import { parse } from "jsonc-parser";

import { Failure } from "../console/failure.ts";

export type BundledWorker = {
  readonly name: string;
  /** Absolute. */
  readonly configPath: string;
  /** Global names and their values, as JavaScript. */
  readonly constants?: Readonly<Record<string, string>>;
};

/** The name of the module that a Worker begins with. */
export const MAIN_MODULE = "index.js";

/** Zod's messages in fifty languages, which `z.locales` would keep: 264 of the 1,500 KB that the API starts with. English is elsewhere. */
const WITHOUT_LOCALES: Plugin = {
  name: "without-locales",
  setup: (bundle) =>
    bundle.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export {};",
    })),
};

/** Writes the modules and their source maps; resolves to what they are made of. Paths are relative to the configuration. */
export async function bundleWorker(
  { name, configPath, constants }: BundledWorker,
  outdir: string,
): Promise<Metafile> {
  const config = await readConfig(configPath);
  const root = dirname(configPath);
  await mkdir(outdir, { recursive: true });
  const before = await listModules(outdir);
  try {
    const { metafile } = await build({
      entryPoints: [resolve(root, config.main)],
      absWorkingDir: root,
      outdir,
      entryNames: "index",
      bundle: true,
      splitting: true,
      // The rest is what wrangler's bundleWorker passes to esbuild.
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
        ...constants,
        "navigator.userAgent": '"Cloudflare-Workers"',
        "process.env.NODE_ENV": '"production"',
        "global.process.env.NODE_ENV": '"production"',
        "globalThis.process.env.NODE_ENV": '"production"',
      },
      loader: { ".js": "jsx", ".mjs": "jsx", ".cjs": "jsx" },
      logLevel: "silent",
      plugins: [WITHOUT_LOCALES],
    });
    // Names of modules change with their contents, and a deployment uploads whatever is there.
    const written = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
    const left = before.filter((module) => !written.has(module));
    await Promise.all(left.map((module) => rm(join(outdir, module), { force: true })));
    return metafile;
  } catch (cause) {
    throw new Failure(`The ${name} could not be bundled: ${describeFailure(cause, root)}`, { cause });
  }
}

/** The names of the modules in a folder, MAIN_MODULE first; none where there is no such folder. */
export async function listModules(directory: string): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(directory).catch(() => []);
  const others = names.filter((name) => name.endsWith(".js") && name !== MAIN_MODULE);
  return names.includes(MAIN_MODULE) ? [MAIN_MODULE, ...others.toSorted()] : others;
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
