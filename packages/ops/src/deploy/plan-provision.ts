/**
 * Decides what an account lacks before Hopline can be deployed to it. Pure: what the configurations ask for, what the
 * account has, and the difference between the two.
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
  /** Title to id. */
  readonly kvIds: ReadonlyMap<string, string>;
  readonly queues: readonly string[];
  /** Deployed name of a Worker to the secrets it has; a Worker that is not there has no entry. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
};

export const EMPTY_ACCOUNT: ExistingResources = { kvIds: new Map(), queues: [], secrets: new Map() };

export type ProvisionPlan = {
  readonly kvTitles: readonly string[];
  readonly queues: readonly string[];
  /** Deployed name of a Worker to the secrets it lacks. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
  /** Shard queues the configuration no longer names. Never removed by a command: clicks may be in them. */
  readonly leftOverQueues: readonly string[];
};

export function listWantedResources(
  configs: readonly WorkerConfig[],
  environment: Environment,
): WantedResources {
  const { suffix } = environment;
  const bindings = configs.flatMap((config) => config.kvBindings);
  const queues = configs.flatMap((config) => [...config.sendsTo, ...config.readsFrom]);
  const deadLetters = configs.flatMap((config) => config.deadLetterQueues);
  return {
    kvTitles: unique(bindings.map((binding) => toKvTitle(binding, environment))),
    queues: unique([...queues, ...deadLetters]).map((queue) => queue + suffix),
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
    kvTitles: wanted.kvTitles.filter((title) => !existing.kvIds.has(title)),
    queues: wanted.queues.filter((queue) => !existing.queues.includes(queue)),
    secrets: new Map(secrets.filter(([, names]) => names.length > 0)),
    leftOverQueues: existing.queues.filter((queue) => isShard.test(queue) && !wanted.queues.includes(queue)),
  };
}

/** True when nothing is to be done; queues that are left over do not stand in the way. */
export function isProvisioned({ kvTitles, queues, secrets }: ProvisionPlan): boolean {
  return kvTitles.length === 0 && queues.length === 0 && secrets.size === 0;
}

/** A line for each thing that is missing, without a full stop. */
export function describePlan(plan: ProvisionPlan): readonly string[] {
  return [
    ...plan.kvTitles.map((title) => `KV namespace ${title}`),
    ...plan.queues.map((queue) => `queue ${queue}`),
    ...[...plan.secrets].map(([worker, names]) => `${plural(names)} ${names.join(", ")} of ${worker}`),
  ];
}

function plural(names: readonly string[]): string {
  return names.length === 1 ? "secret" : "secrets";
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
