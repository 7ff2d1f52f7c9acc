/**
 * Writes what `workerd serve` needs into one folder: a target's modules, the platform's stubs (workers/platform.js) and
 * the configuration that ties them together. Bindings are read from the producer's wrangler.jsonc. Format: workerd.capnp
 * of the pinned workerd.
 */
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { encodeChangePage, MADE_AT_HEADER } from "@hopline/core/feed/change-page";
import { Failure } from "@hopline/testkit/console/failure";

import { CF_HEADER } from "./visitors.ts";

/** What the KV stub holds: every slug with this beginning has this record. */
export type KvRecords = readonly { readonly slugPrefix: string; readonly text: string }[];

export type WorkerModule = { readonly name: string; readonly source: string };

export type ProducerConfig = {
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** In workerd's text configuration (workerd.capnp, `struct Binding`). */
  readonly bindings: readonly string[];
};

export type Vars = { readonly [name: string]: string };

/** The database's address only has to parse: every outgoing request ends at the stub. Any other secret is a key: 32 bytes in base64. */
export const secretOf = (name: string): string =>
  name === "DATABASE_URL"
    ? "postgresql://bench:bench@database.example.com/bench"
    : Buffer.alloc(32, "bench").toString("base64");
/** Whatever production waits for: a slice ends when the last click has been sent. */
const VARS: Vars = { CLICK_LINGER_MS: "100" };

const KINDS_WITHOUT_STUB = [
  "analytics_engine_datasets",
  "browser",
  "d1_databases",
  "dispatch_namespaces",
  "hyperdrive",
  "r2_buckets",
  "secrets_store_secrets",
  "vectorize",
  "workflows",
] as const;

/** The part of wrangler's configuration that is read here. */
export type WranglerConfig = {
  readonly compatibility_date?: string | undefined;
  readonly compatibility_flags: readonly string[];
  readonly vars: Readonly<Record<string, unknown>>;
  readonly secrets?: { readonly required?: readonly string[] | undefined } | undefined;
  readonly kv_namespaces: readonly Bound[];
  readonly queues: { readonly producers?: readonly Bound[] | undefined };
  readonly services?: readonly Bound[] | undefined;
  readonly durable_objects: { readonly bindings: readonly Named[] };
  readonly ratelimits?: readonly Named[] | undefined;
  readonly version_metadata?: Bound | undefined;
} & { readonly [kind in (typeof KINDS_WITHOUT_STUB)[number]]?: unknown };
type Bound = { readonly binding: string };
type Named = { readonly name: string };

/**
 * A kind of binding that has no stub is a `Failure`: measured without it, the figure would be of another Worker.
 *
 * @param configPath absolute path of a wrangler.jsonc.
 */
export async function readProducerConfig(configPath: string, vars: Vars = VARS): Promise<ProducerConfig> {
  // Wrangler warns of secrets that no .dev.vars has.
  process.env["WRANGLER_LOG"] ??= "error";
  const { unstable_readConfig } = await import("wrangler");
  const config: WranglerConfig = unstable_readConfig({ config: configPath });
  for (const kind of KINDS_WITHOUT_STUB) {
    const declared = config[kind];
    if (declared !== undefined && (!Array.isArray(declared) || declared.length > 0)) {
      throw new Failure(`${configPath}: the bench has no stub for ${kind}. Add one to packages/bench.`);
    }
  }
  const platform = (name: string, kind: string, entrypoint: string): string =>
    binding(name, kind, `(name = "platform", entrypoint = "${entrypoint}")`);
  return {
    compatibilityDate: config.compatibility_date ?? "",
    compatibilityFlags: config.compatibility_flags,
    bindings: [
      ...Object.entries({ ...config.vars, ...vars }).map(([name, value]) => variable(name, value)),
      ...(config.secrets?.required ?? []).map((name) => variable(name, secretOf(name))),
      ...config.kv_namespaces.map((kv) => platform(kv.binding, "kvNamespace", "kv")),
      ...(config.queues.producers ?? []).map((queue) => platform(queue.binding, "queue", "queue")),
      ...(config.services ?? []).map((service) => platform(service.binding, "service", "service")),
      ...config.durable_objects.bindings.map(({ name }) =>
        binding(name, "durableObjectNamespace", '(className = "QuietFeed", serviceName = "platform")'),
      ),
      ...(config.ratelimits ?? []).map(({ name }) =>
        binding(name, "wrapped", '(moduleName = "bench:rate-limit")'),
      ),
      ...(config.version_metadata === undefined
        ? []
        : [variable(config.version_metadata.binding, { id: "bench", tag: "", timestamp: "" })]),
    ],
  };
}

function variable(name: string, value: unknown): string {
  return typeof value === "string"
    ? binding(name, "text", quote(value))
    : binding(name, "json", quote(JSON.stringify(value)));
}

function binding(name: string, kind: string, value: string): string {
  return `(name = ${quote(name)}, ${kind} = ${value})`;
}

/** A text in workerd's configuration language, which knows C's escapes and no others. */
export function quote(text: string): string {
  if (!/^[\u0020-\u007e]*$/.test(text)) {
    throw new Failure("The bench can only pass texts in printable ASCII to workerd.");
  }
  return JSON.stringify(text);
}

/** A feed without changes, as the API's Durable Object would answer. */
const QUIET_FEED = {
  page: encodeChangePage({ feedId: "b0b0b0b0b0b0b0b0", oldest: 1, last: 0, forgottenAtMs: 0, changes: [] }),
  tag: '"b0b0b0b0b0b0b0b0-0"',
  madeAtHeader: MADE_AT_HEADER,
};

export type ServedTarget = ProducerConfig & {
  /** The main module comes first. */
  readonly modules: readonly WorkerModule[];
  readonly records: KvRecords;
  readonly v8Flags?: readonly string[];
};

/** Empties `directory`, fills it and returns the path of the configuration; its constant is named `config`. */
export async function writeWorkerdConfig(directory: string, target: ServedTarget): Promise<string> {
  const { modules, records, bindings, compatibilityDate, compatibilityFlags, v8Flags = [] } = target;
  await rm(directory, { recursive: true, force: true });
  await mkdir(join(directory, "target"), { recursive: true });
  await cp(join(import.meta.dirname, "workers"), directory, { recursive: true });
  for (const { name, source } of modules) {
    await writeFile(join(directory, "target", name), source);
  }
  const embedded = modules.map(
    ({ name }) => `(name = ${quote(name)}, esModule = embed ${quote(`target/${name}`)})`,
  );
  const text = `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "target", worker = .target), (name = "platform", worker = .platform)],
  sockets = [
    (name = "http", address = "127.0.0.1:0", service = "target",
      http = (cfBlobHeader = ${quote(CF_HEADER)}, forwardedProtoHeader = "x-forwarded-proto")),
    (name = "control", address = "127.0.0.1:0", service = (name = "platform", entrypoint = "control"), http = ()),
  ],
  v8Flags = [${v8Flags.map(quote).join(", ")}],
  extensions = [(modules = [(name = "bench:rate-limit", internal = true, esModule = embed "rate-limit.js")])],
);

const target :Workerd.Worker = (
  modules = [${embedded.join(", ")}],
  compatibilityDate = ${quote(compatibilityDate)},
  compatibilityFlags = [${compatibilityFlags.map(quote).join(", ")}],
  bindings = [
    ${bindings.join(",\n    ")}
  ],
  globalOutbound = (name = "platform", entrypoint = "sql"),
  cacheApiOutbound = (name = "platform", entrypoint = "cache"),
);

const platform :Workerd.Worker = (
  modules = [(name = "platform.js", esModule = embed "platform.js")],
  compatibilityDate = ${quote(compatibilityDate)},
  bindings = [
    ${variable("RECORDS", records)},
    ${variable("FEED", QUIET_FEED)}
  ],
  durableObjectNamespaces = [(className = "QuietFeed", uniqueKey = "feed")],
  durableObjectStorage = (inMemory = void),
);
`;
  const configPath = join(directory, "workerd.capnp");
  await writeFile(configPath, text);
  return configPath;
}
