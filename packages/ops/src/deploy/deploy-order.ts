/**
 * The order in which the Workers are deployed. Pure.
 *
 * Two rules. A Worker that binds another one's service, entrypoint or Durable Object comes after it where the account
 * does not have that yet: Cloudflare refuses such a binding. And who reads a format comes before who writes it, so that
 * no visitor meets a version that cannot read what is written. The first rule is the platform's and wins; in an account
 * that has everything it asks for nothing, and the second one makes the order. Queues are made by `pnpm run provision`,
 * so the reader of a queue needs no sender.
 */
import { Failure } from "@hopline/testkit/console/failure";
import type { DeployedWorker } from "./deployed-worker.ts";
import type { WorkerConfig } from "./worker-config.ts";

/**
 * Who writes what waits between two Workers, and who reads it (ARCHITECTURE.md, Formats): segments of clicks in queues
 * and spill; records of links and domains, and the pages of the change feed.
 */
const FORMATS = [
  { writer: "producer", reader: "consumer" },
  { writer: "api", reader: "producer" },
] as const;

/** By the Worker's name before an environment's suffix. Absent: nothing of it is deployed. */
export type DeployedWorkers = ReadonlyMap<string, DeployedWorker>;

export const NOTHING_DEPLOYED: DeployedWorkers = new Map();

export type DeployStep = {
  readonly config: WorkerConfig;
  /** Workers that have to be deployed before it, because the account lacks what it binds of them. */
  readonly needs: readonly string[];
  /** Workers that read what this one writes and come after it, though an older version of them answers. */
  readonly ahead: readonly string[];
};

/** Throws a `Failure` that names the Workers when they wait for each other. */
export function orderForDeploy(
  configs: readonly WorkerConfig[],
  deployed: DeployedWorkers,
): readonly DeployStep[] {
  const steps: DeployStep[] = [];
  const waiting = configs.toSorted((a, b) => a.name.localeCompare(b.name));
  while (waiting.length > 0) {
    const possible = waiting.filter((config) => listNeeds(config, waiting, deployed).length === 0);
    const config = possible.find((candidate) => listReaders(candidate, waiting).length === 0) ?? possible[0];
    if (config === undefined) {
      const names = waiting.map(({ name }) => name).join(" and ");
      throw new Failure(`${names} each need another one deployed first: take one of the bindings out.`);
    }
    waiting.splice(waiting.indexOf(config), 1);
    // A reader that is not there cannot be too old.
    const ahead = listReaders(config, waiting).filter((name) => deployed.has(name));
    steps.push({ config, needs: listNeeds(config, configs, deployed), ahead });
  }
  return steps;
}

/** An account that has all that these configurations bind of each other. */
export function asIfDeployed(configs: readonly WorkerConfig[]): DeployedWorkers {
  const offers = new Set(
    configs.flatMap(({ callees }) => callees.flatMap(({ entrypoint }) => entrypoint ?? [])),
  );
  return new Map(configs.map(({ name }) => [name, { answering: [], offers }]));
}

function listNeeds(
  config: WorkerConfig,
  others: readonly WorkerConfig[],
  deployed: DeployedWorkers,
): readonly string[] {
  const isLacking = (name: string): boolean =>
    config.callees.some(({ worker, entrypoint }) => {
      const there = deployed.get(name);
      const hasIt = there !== undefined && (entrypoint === null || there.offers.has(entrypoint));
      return worker === name && !hasIt;
    });
  return others.filter((other) => other !== config && isLacking(other.name)).map(({ name }) => name);
}

function listReaders(config: WorkerConfig, others: readonly WorkerConfig[]): readonly string[] {
  const readers = FORMATS.filter(({ writer }) => writer === config.source.name).map(({ reader }) => reader);
  return others
    .filter(({ source }) => readers.some((reader) => reader === source.name))
    .map(({ name }) => name);
}
