/**
 * Makes a Worker's real source, entry included, into a function that gives one isolate of it: each call has modules, and so a
 * memory, of its own. Bundled as for a deployment (packages/testkit/src/workspace/bundle-worker.ts), but in one script.
 */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { compileFunction } from "node:vm";
import { Failure } from "@hopline/testkit/console/failure";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";
import { build, type Plugin } from "esbuild";
import { parse } from "jsonc-parser";
import { currentScope, type RequestScope } from "./request-scope.ts";

export type WorkerName = "producer" | "consumer" | "api";

/** A change of one source file, for planted faults: nothing on disk is touched. */
export type SourcePatch = { readonly path: string; readonly find: string; readonly replace: string };

export type WorkerCode = {
  readonly name: WorkerName;
  /** As wrangler.jsonc has it. */
  readonly config: WorkerConfig;
  /** The modules' exports of a new isolate with these globals. */
  readonly start: (globals: Readonly<Record<string, unknown>>) => WorkerExports;
};

export type WorkerConfig = {
  readonly vars: Readonly<Record<string, string>>;
  readonly producers: readonly { readonly binding: string; readonly queue: string }[];
  readonly consumers: readonly QueueConsumer[];
  readonly rateLimits: readonly {
    readonly name: string;
    readonly simple: { readonly limit: number; readonly period: number };
  }[];
};

export type QueueConsumer = {
  readonly queue: string;
  readonly max_batch_size: number;
  readonly max_batch_timeout?: number;
  readonly max_retries: number;
  readonly retry_delay?: number;
  readonly max_concurrency?: number;
  readonly dead_letter_queue?: string;
};

export type Context = RequestScope & { readonly exports: Readonly<Record<string, unknown>> };
type Handler = (first: unknown, env: object, context: Context) => unknown;

export type WorkerExports = {
  readonly default: { readonly fetch?: Handler; readonly queue?: Handler; readonly scheduled?: Handler };
  readonly [entrypoint: string]: unknown;
};

const PARAMETERS = ["module", "exports", "require"];
const GLOBALS = [
  ..."Date Math performance setTimeout clearTimeout scheduler AbortSignal crypto fetch caches console navigator".split(
    " ",
  ),
  ..."globalThis self".split(" "),
];

class Entrypoint {
  readonly ctx: object;
  readonly env: object;
  constructor(ctx: object, env: object) {
    this.ctx = ctx;
    this.env = env;
  }
}
/** What the entries import of `cloudflare:workers`. */
const PLATFORM_MODULE = {
  waitUntil: (work: Promise<unknown>) => currentScope()?.waitUntil(work),
  DurableObject: Entrypoint,
  WorkerEntrypoint: Entrypoint,
};

export async function loadWorker(
  name: WorkerName,
  patches: readonly SourcePatch[] = [],
): Promise<WorkerCode> {
  const source = WORKERS.find((worker) => worker.name === name);
  if (source === undefined) {
    throw new Failure(`There is no Worker ${name}.`);
  }
  const configPath = inWorkspace(source.configPath);
  const config: unknown = parse(await readFile(configPath, "utf8"), [], { allowTrailingComma: true });
  const { main, vars, queues, ratelimits } = config as {
    main: string;
    vars: WorkerConfig["vars"];
    ratelimits?: WorkerConfig["rateLimits"];
    queues?: Partial<Pick<WorkerConfig, "producers" | "consumers">>;
  };
  const { outputFiles } = await build({
    entryPoints: [resolve(dirname(configPath), main)],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "neutral",
    external: ["cloudflare:*", "node:*"],
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    define: { "process.env.NODE_ENV": '"production"', BUILT_OPENAPI: "{}" },
    loader: { ".js": "jsx", ".mjs": "jsx", ".cjs": "jsx" },
    logLevel: "silent",
    plugins: patches.map(toPlugin),
  });
  const code = outputFiles[0]?.text ?? "";
  const run = compileFunction(code, [...PARAMETERS, ...GLOBALS], { filename: `${name}.js` });
  return {
    name,
    config: {
      vars,
      producers: queues?.producers ?? [],
      consumers: queues?.consumers ?? [],
      rateLimits: ratelimits ?? [],
    },
    start(globals) {
      const module: { exports: unknown } = { exports: {} };
      Reflect.apply(run, undefined, [
        module,
        module.exports,
        requireModule,
        ...GLOBALS.map((global) => globals[global]),
      ]);
      return module.exports as WorkerExports;
    },
  };
}

/** Fails where the source no longer has what is to be replaced: then the patch says nothing any more. */
function toPlugin({ path, find, replace }: SourcePatch): Plugin {
  const file = inWorkspace(path);
  return {
    name: path,
    setup(bundle) {
      bundle.onLoad({ filter: new RegExp(`${path.replaceAll(".", String.raw`\.`)}$`) }, async () => {
        const source = await readFile(file, "utf8");
        if (!source.includes(find)) {
          throw new Failure(`${path} has no more: ${find}`);
        }
        return { contents: source.replace(find, () => replace), loader: "ts" };
      });
    },
  };
}

function requireModule(id: string): unknown {
  return id === "cloudflare:workers" ? PLATFORM_MODULE : process.getBuiltinModule(id);
}
