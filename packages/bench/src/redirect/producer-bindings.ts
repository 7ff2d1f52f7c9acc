/**
 * Reads the producer's bindings from its wrangler.jsonc and says, for workerd, which stub of workers/platform.js answers
 * each. A kind of binding that has no stub is a `Failure`: measured without it, the figure would be of another Worker.
 */
import { Failure } from "@hopline/testkit/console/failure";

/** A binding in workerd's text configuration (workerd.capnp, `struct Binding`). */
export type CapnpBinding = string;

export type ProducerConfig = {
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  readonly bindings: readonly CapnpBinding[];
};

/** The database's address only has to parse: every outgoing request ends at the stub. */
const DATABASE_URL = "postgresql://bench:bench@database.example.com/bench";

/** Any other secret is a key: 32 bytes in base64. */
const SOME_KEY = Buffer.alloc(32, "bench").toString("base64");

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

/** The part of wrangler's configuration that is read here; wrangler has checked it and filled in what was left out. */
type WranglerConfig = {
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

/** @param configPath absolute path of a wrangler.jsonc. */
export async function readProducerConfig(configPath: string): Promise<ProducerConfig> {
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
  return {
    compatibilityDate: config.compatibility_date ?? "",
    compatibilityFlags: config.compatibility_flags,
    bindings: [
      ...Object.entries(config.vars).map(([name, value]) => variable(name, value)),
      ...(config.secrets?.required ?? []).map((name) =>
        variable(name, name === "DATABASE_URL" ? DATABASE_URL : SOME_KEY),
      ),
      ...config.kv_namespaces.map(({ binding }) => stub(binding, "kvNamespace", "kv")),
      ...(config.queues.producers ?? []).map(({ binding }) => stub(binding, "queue", "queue")),
      ...(config.services ?? []).map(({ binding }) => stub(binding, "service", "service")),
      ...config.durable_objects.bindings.map(({ name }) => quietFeed(name)),
      ...(config.ratelimits ?? []).map(({ name }) => rateLimit(name)),
      ...(config.version_metadata === undefined
        ? []
        : [variable(config.version_metadata.binding, { id: "bench", tag: "", timestamp: "" })]),
    ],
  };
}

/** A text in workerd's configuration language, which knows C's escapes and no others. */
export function quote(text: string): string {
  if (!/^[\u0020-\u007e]*$/.test(text)) {
    throw new Failure("The bench can only hand texts in printable ASCII to workerd.");
  }
  return JSON.stringify(text);
}

function variable(name: string, value: unknown): CapnpBinding {
  const kind = typeof value === "string" ? "text" : "json";
  return `(name = ${quote(name)}, ${kind} = ${quote(kind === "text" ? String(value) : JSON.stringify(value))})`;
}

function stub(name: string, kind: "kvNamespace" | "queue" | "service", entrypoint: string): CapnpBinding {
  return `(name = ${quote(name)}, ${kind} = (name = "platform", entrypoint = "${entrypoint}"))`;
}

function quietFeed(name: string): CapnpBinding {
  return `(name = ${quote(name)}, durableObjectNamespace = (className = "QuietFeed", serviceName = "platform"))`;
}

function rateLimit(name: string): CapnpBinding {
  return `(name = ${quote(name)}, wrapped = (moduleName = "bench:rate-limit"))`;
}
