/**
 * A Worker's configuration for one environment, as `wrangler deploy` takes it.
 *
 * Generated at deploy time in place of wrangler's `env` blocks: bindings are not inherited by those, so each environment
 * would repeat every queue, namespace and variable of every Worker, and `pnpm shards` would have three times as much to
 * change. The list of keys is closed: for a new kind of binding, add its name in staging here, or two
 * environments would silently share it.
 */
import { dirname, join, relative } from "node:path";

import { Failure } from "@hopline/testkit/console/failure";
import { MAIN_MODULE } from "@hopline/testkit/workspace/bundle-worker";
import { generatedFolder } from "./deployment-directory.ts";
import type { Environment } from "./environments.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "./json-object.ts";
import type { WorkerConfig } from "./worker-config.ts";

export type Placement = {
  readonly environment: Environment;
  /** Names of all our Workers, without suffix: a service that is none of them keeps its name. */
  readonly workerNames: readonly string[];
  /** KV title to id. Where an id is missing it is left out, which is enough for a dry run. */
  readonly kvIds: ReadonlyMap<string, string>;
};

type Rewrite = (config: WorkerConfig, placement: Placement) => unknown;

/** Values that mean the same in every environment. */
const SHARED_KEYS = new Set([
  "compatibility_date",
  "compatibility_flags",
  "workers_dev",
  "preview_urls",
  "secrets",
  "observability",
  "migrations",
  "exports",
  "triggers",
  "version_metadata",
  "limits",
  "placement",
  "cache",
  "upload_source_maps",
  // The sender is a variable, EMAIL_FROM.
  "send_email",
]);

/** Said of the bundle, which is made by then, or of no deployment at all. */
const BUNDLING_KEYS = new Set(["minify", "keep_names", "$schema"]);

/** How wrangler uploads it: all modules of its folder. */
const UPLOADED_AS_IT_IS = {
  no_bundle: true,
  find_additional_modules: true,
  rules: [{ type: "ESModule", globs: ["*.js"] }],
};

const REWRITES: Readonly<Record<string, Rewrite>> = {
  name: ({ name }, { environment }) => name + environment.suffix,
  // The modules that were built and tested, as they are.
  main: ({ source }, { environment }) =>
    relative(
      dirname(deployConfigPath(source.name, environment.name)),
      `${source.bundleDirectory}/${MAIN_MODULE}`,
    ),
  assets: (config, placement) => {
    const assets = objectAt(config.raw, "assets");
    return { ...assets, directory: relocate(textAt(assets, "directory"), config, placement) };
  },
  vars: (config, { environment }) => ({
    ...objectAt(config.raw, "vars"),
    ...cacheHostOf(config, environment),
    ...objectAt(environment.vars, config.source.name),
  }),
  kv_namespaces: ({ raw }, { environment, kvIds }) =>
    objectsAt(raw, "kv_namespaces").map((namespace) => {
      const id = kvIds.get(toKvTitle(textAt(namespace, "binding") ?? "", environment));
      return id === undefined ? namespace : { ...namespace, id };
    }),
  services: ({ raw }, placement) =>
    objectsAt(raw, "services").map((service) => renameOurs(service, "service", placement)),
  durable_objects: ({ raw }, placement) => ({
    bindings: objectsAt(objectAt(raw, "durable_objects"), "bindings").map((binding) =>
      renameOurs(binding, "script_name", placement),
    ),
  }),
  queues: ({ raw }, { environment }) => renameQueues(objectAt(raw, "queues"), environment),
  ratelimits: ({ raw }, { environment }) =>
    objectsAt(raw, "ratelimits").map((limit) => ({
      ...limit,
      namespace_id: String(Number(textAt(limit, "namespace_id")) + environment.rateLimitOffset),
    })),
};

/** Where the generated file of a Worker goes, relative to the root. Never committed. */
export function deployConfigPath(worker: string, environment: string): string {
  return `${generatedFolder(environment)}/${worker}/wrangler.json`;
}

/** The title of the namespace behind a binding: one per environment, whichever Workers bind it. */
export function toKvTitle(binding: string, environment: Environment): string {
  return `hopline-${binding.toLowerCase().replaceAll("_", "-")}${environment.suffix}`;
}

/** Throws a `Failure` for a key that is not known to be safe in two environments of one account. */
export function forEnvironment(config: WorkerConfig, placement: Placement): JsonObject {
  const written: Record<string, unknown> = { ...UPLOADED_AS_IT_IS };
  for (const [key, value] of Object.entries(config.raw)) {
    const rewrite = REWRITES[key];
    if (rewrite !== undefined) {
      written[key] = rewrite(config, placement);
    } else if (SHARED_KEYS.has(key)) {
      written[key] = value;
    } else if (!BUNDLING_KEYS.has(key)) {
      throw new Failure(
        `${config.source.configPath} has "${key}", and packages/ops/src/deploy/for-environment.ts has no rule for it.`,
      );
    }
  }
  const hosts = hostsOf(config, placement.environment);
  if (hosts.length > 0) {
    written["routes"] = hosts.map((pattern) => ({ pattern, custom_domain: true }));
    // Else the Worker stays public beside its hosts, past their firewall rules and without the Cache API.
    written["workers_dev"] = false;
  }
  return written;
}

/** The variables of a Worker in this environment. */
export function variablesOf(
  worker: WorkerConfig["source"]["name"],
  configs: readonly WorkerConfig[],
  environment: Environment,
): JsonObject {
  const config = configs.find(({ source }) => source.name === worker);
  return { ...objectAt(config?.raw ?? {}, "vars"), ...objectAt(environment.vars, worker) };
}

/** The hosts that a Worker answers on in this environment; none where workers.dev gives it its address. */
export function hostsOf({ source }: WorkerConfig, environment: Environment): readonly string[] {
  switch (source.name) {
    case "producer":
      return environment.domains;
    case "dashboard": {
      const host = appHostOf(environment);
      return host === null ? [] : [host];
    }
    case "api":
    case "consumer":
      return [];
  }
}

/** Deployed name of each Worker to its hosts. */
export function listWantedHosts(
  configs: readonly WorkerConfig[],
  environment: Environment,
): ReadonlyMap<string, readonly string[]> {
  const all = configs.map(
    (config) => [config.name + environment.suffix, hostsOf(config, environment)] as const,
  );
  return new Map(all.filter(([, hosts]) => hosts.length > 0));
}

/** Cloudflare advises a host of one's own zone for what the Cache API keeps. */
function cacheHostOf({ source }: WorkerConfig, { domains: [first] }: Environment): JsonObject {
  return source.name === "producer" && first !== undefined ? { FEED_CACHE_HOST: first } : {};
}

/** Where people sign in; null without such a host, and where Cloudflare gives the Worker its name by itself. */
export function appHostOf({ vars }: Environment): string | null {
  const url = URL.parse(textAt(objectAt(vars, "api"), "APP_ORIGIN") ?? "");
  return url === null || url.host.endsWith(".workers.dev") ? null : url.host;
}

/** A path that is relative to the Worker's own configuration, from where the generated one is. */
function relocate(path: string | null, { source }: WorkerConfig, { environment }: Placement): string {
  const target = join(dirname(source.configPath), path ?? "");
  return relative(dirname(deployConfigPath(source.name, environment.name)), target);
}

function renameOurs(binding: JsonObject, key: string, { environment, workerNames }: Placement): JsonObject {
  const name = textAt(binding, key);
  return name !== null && workerNames.includes(name)
    ? { ...binding, [key]: name + environment.suffix }
    : binding;
}

function renameQueues(queues: JsonObject, { suffix }: Environment): JsonObject {
  const rename = (entry: JsonObject): JsonObject => ({
    ...entry,
    queue: (textAt(entry, "queue") ?? "") + suffix,
    ...("dead_letter_queue" in entry
      ? { dead_letter_queue: (textAt(entry, "dead_letter_queue") ?? "") + suffix }
      : {}),
  });
  return Object.fromEntries(Object.keys(queues).map((key) => [key, objectsAt(queues, key).map(rename)]));
}
