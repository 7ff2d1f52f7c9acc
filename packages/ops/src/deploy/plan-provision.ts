/**
 * Decides what is missing in an account before Hopline can be deployed to it: what the configurations ask for, what the
 * account has, and the difference between the two. Pure.
 */
import type { Environment } from "./environments.ts";
import { toKvTitle } from "./for-environment.ts";
import type { WorkerConfig } from "./worker-config.ts";

export type WantedResources = {
  readonly kvTitles: readonly string[];
  /** Click shards, then dead-letter queues. */
  readonly queues: readonly string[];
  /** Deployed name of a Worker to the secrets it requires. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
};

export type ExistingResources = {
  /** Whether the account has its subdomain of workers.dev. */
  readonly hasSubdomain: boolean;
  /** Title to id. */
  readonly kvIds: ReadonlyMap<string, string>;
  readonly queues: readonly string[];
  /** Deployed name of a Worker to the secrets it has; a Worker that is not there has no entry. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
};

export const EMPTY_ACCOUNT: ExistingResources = {
  hasSubdomain: false,
  kvIds: new Map(),
  queues: [],
  secrets: new Map(),
};

/** What is wanted and missing. */
export type ProvisionPlan = WantedResources & {
  readonly lacksSubdomain: boolean;
  /** Shard queues the configuration no longer names. No command removes them: clicks may be in them. */
  readonly leftOverQueues: readonly string[];
};

export type SecretsPlan = {
  /** Made here, of 32 random bytes. */
  readonly toGenerate: readonly string[];
  /** Only a person knows them. */
  readonly toAsk: readonly string[];
};

/** A key, a secret or a token is any 32 random bytes; everything else (DATABASE_URL) has a meaning elsewhere. */
const IS_RANDOM = /_(KEY|SECRET|TOKEN)$/;

export function listWantedResources(
  configs: readonly WorkerConfig[],
  environment: Environment,
): WantedResources {
  const { suffix } = environment;
  const bindings = configs.flatMap((config) => config.kvBindings);
  const queues = configs.flatMap((config) => [...config.sendsTo, ...config.readsFrom]);
  const deadLetters = configs.flatMap((config) => config.deadLetterQueues);
  return {
    kvTitles: [...new Set(bindings.map((binding) => toKvTitle(binding, environment)))],
    queues: [...new Set([...queues, ...deadLetters])].map((queue) => queue + suffix),
    secrets: new Map(configs.map((config) => [config.name + suffix, config.secrets])),
  };
}

export function planProvision(
  wanted: WantedResources,
  existing: ExistingResources,
  environment: Environment,
): ProvisionPlan {
  const secrets = [...wanted.secrets].map(([worker, names]): [string, readonly string[]] => {
    const present = existing.secrets.get(worker) ?? [];
    return [worker, names.filter((name) => !present.includes(name))];
  });
  const isShard = new RegExp(`^hopline-clicks-\\d+${environment.suffix}$`);
  return {
    lacksSubdomain: !existing.hasSubdomain,
    kvTitles: wanted.kvTitles.filter((title) => !existing.kvIds.has(title)),
    queues: wanted.queues.filter((queue) => !existing.queues.includes(queue)),
    secrets: new Map(secrets.filter(([, names]) => names.length > 0)),
    leftOverQueues: existing.queues.filter((queue) => isShard.test(queue) && !wanted.queues.includes(queue)),
  };
}

/** A line for each thing that is missing, without a full stop; left-over queues are not missing. */
export function describePlan({
  lacksSubdomain,
  kvTitles,
  queues,
  secrets,
}: ProvisionPlan): readonly string[] {
  return [
    ...(lacksSubdomain ? ["the account's subdomain of workers.dev"] : []),
    ...kvTitles.map((title) => `KV namespace ${title}`),
    ...queues.map((queue) => `queue ${queue}`),
    ...[...secrets].map(
      ([worker, names]) => `${names.length === 1 ? "secret" : "secrets"} ${names.join(", ")} of ${worker}`,
    ),
  ];
}

/**
 * Where the value of each missing secret comes from. An account never gives a secret back, so one that a Worker has and
 * another lacks is asked for, not made: two Workers with different SEAL_KEYs could not read each other's sealed clicks.
 *
 * @param known names of secrets whose value is given, by the environment or by an earlier run.
 */
export function planSecrets(
  plan: ProvisionPlan,
  existing: ExistingResources,
  known: ReadonlySet<string>,
): SecretsPlan {
  const missing = [...new Set([...plan.secrets.values()].flat())].filter((name) => !known.has(name));
  const elsewhere = new Set([...existing.secrets.values()].flat());
  const canGenerate = (name: string): boolean => IS_RANDOM.test(name) && !elsewhere.has(name);
  return {
    toGenerate: missing.filter(canGenerate),
    toAsk: missing.filter((name) => !canGenerate(name)),
  };
}
