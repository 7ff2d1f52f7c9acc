/**
 * Decides what the removal of an environment takes away, and in which order. Pure. Names are the proof of what is ours:
 * exactly those that provisioning and deploying give, with this environment's suffix.
 */
import type { Environment } from "./environments.ts";
import type { AttachedHost } from "./hosts.ts";
import { listWantedResources } from "./plan-provision.ts";
import type { WorkerConfig } from "./worker-config.ts";

export type FoundQueue = {
  readonly id: string;
  readonly name: string;
  /** Messages that are not acknowledged. */
  readonly backlog: number;
  readonly consumers: readonly { readonly id: string; readonly worker: string }[];
};

export type Inventory = {
  readonly hosts: readonly AttachedHost[];
  readonly workers: readonly string[];
  readonly queues: readonly FoundQueue[];
  readonly namespaces: readonly { readonly id: string; readonly title: string }[];
  /** Whether clicks that no queue took wait in KV. */
  readonly hasSpill: boolean;
};

export type Names = {
  /** In the order of removal: a Worker goes before those that it binds. */
  readonly workers: readonly string[];
  readonly kvTitles: readonly string[];
  readonly spillTitle: string;
  readonly isQueue: (name: string) => boolean;
  readonly isClickQueue: (name: string) => boolean;
};

/** New clicks come by the first, and people by the second; the API is bound by all others. */
const ORDER = ["producer", "dashboard", "consumer", "api"] as const;
/** These are gone before what waits is counted. */
export const FRONT_WORKERS = 2;

export function listNames(configs: readonly WorkerConfig[], environment: Environment): Names {
  const { suffix } = environment;
  const wanted = listWantedResources(configs, environment);
  const click = new RegExp(`^hopline-clicks-(?:\\d+|dead)${suffix}$`);
  return {
    workers: ORDER.flatMap((name) =>
      configs.filter(({ source }) => source.name === name).map((config) => config.name + suffix),
    ),
    kvTitles: wanted.kvTitles,
    spillTitle: `hopline-spill${suffix}`,
    isQueue: (name) => wanted.queues.includes(name) || click.test(name),
    isClickQueue: (name) => click.test(name),
  };
}

/** What waits and would be lost; empty where nothing does. */
export function listWaiting(
  { queues, hasSpill }: Inventory,
  { isClickQueue, spillTitle }: Names,
): readonly string[] {
  const full = queues.filter(({ name, backlog }) => isClickQueue(name) && backlog > 0);
  return [
    ...full.map(({ name, backlog }) => `${backlog} messages in ${name}`),
    ...(hasSpill ? [`clicks in ${spillTitle}`] : []),
  ];
}

/** A line for each thing, in the order of removal. */
export function describeInventory({ hosts, workers, queues, namespaces }: Inventory): readonly string[] {
  return [
    ...hosts.map(({ host, worker }) => `host ${host} of ${worker}`),
    ...workers.map((worker) => `Worker ${worker}`),
    ...queues.map(({ name, backlog }) => `queue ${name}${backlog > 0 ? `, with ${backlog} messages` : ""}`),
    ...namespaces.map(({ title }) => `KV namespace ${title}`),
  ];
}
