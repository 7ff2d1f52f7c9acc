/**
 * Decides what a run of `deploy` does: which Workers, in which order, and which of them wait. Pure.
 *
 * Two rules make the order. A Worker that binds another one's service, entrypoint or Durable Object comes after it where
 * the account does not have that yet: Cloudflare refuses such a binding. And the reader of a format comes before its
 * writer, so that no visitor meets a version that cannot read what is written. The first rule is the platform's and
 * wins; in an account that has everything already, the second one makes the order. Queues are made by
 * `pnpm run provision`, so the reader of a queue needs no sender.
 */
import { Failure } from "@hopline/testkit/console/failure";
import type { DeployedWorker } from "./versions.ts";
import type { WorkerConfig } from "./worker-config.ts";

/**
 * Who writes what waits between two Workers, and who reads it (packages/core/README.md, Formats): segments of clicks in queues
 * and spill; records of links and domains, and the pages of the change feed. What
 * the dashboard asks does not wait, but is read by the API all the same.
 */
const FORMATS = [
  { writer: "producer", reader: "consumer" },
  { writer: "api", reader: "producer" },
  { writer: "dashboard", reader: "api" },
] as const;

/** The Worker that is rolled out by shares. */
export const FRONT_DOOR = "producer";

/** By the Worker's name before an environment's suffix. Absent: nothing of it is deployed. */
export type DeployedWorkers = ReadonlyMap<string, DeployedWorker>;

export const NOTHING_DEPLOYED: DeployedWorkers = new Map();

export type DeployWish = {
  /** The one Worker to deploy, by the name of its source; null: all. */
  readonly only: string | null;
  /** Share of the traffic that the new producer gets; the others always change over at once. */
  readonly percent: number;
};

export type DeployPlan = {
  readonly configs: readonly WorkerConfig[];
  /** Share of the traffic that the new producer gets: all of it where none is deployed. */
  readonly percent: number;
  /** Deployed once a rollout of the producer is complete: until then the old one reads what they write. */
  readonly waiting: readonly WorkerConfig[];
  /** For a person, before the first change. */
  readonly lines: readonly string[];
};

type DeployStep = {
  readonly config: WorkerConfig;
  /** Workers that have to be deployed before it, because it binds something of them that the account does not have. */
  readonly needs: readonly string[];
  /** Workers that read what this one writes and come after it, though an older version of them answers. */
  readonly ahead: readonly string[];
};

/** `deployed` is null where the account was not read. Throws a `Failure` for what is not possible. */
export function planDeploy(
  configs: readonly WorkerConfig[],
  { only, percent }: DeployWish,
  deployed: DeployedWorkers | null,
): DeployPlan {
  const steps = orderForDeploy(configs, deployed ?? NOTHING_DEPLOYED);
  if (only !== null) {
    return planOne(steps, { only, percent }, deployed);
  }
  if (deployed === null) {
    const later = describeOrder(orderForDeploy(configs, asIfDeployed(configs)));
    return planAll(steps, [`Order: ${later}; in an empty account: ${describeOrder(steps)}.`], percent);
  }
  const front = configs.find(({ source }) => source.name === FRONT_DOOR);
  const isFirst = front !== undefined && !deployed.has(front.name);
  const share = isFirst ? 100 : percent;
  const hasNew = steps.some(({ needs }) => needs.length > 0);
  const why = hasNew ? "a Worker comes after those it binds" : "readers before writers";
  const noShare =
    share === percent ? [] : [`${front?.name} is not deployed, so there is no traffic to share: 100 %.`];
  const lines = [`Order: ${describeOrder(steps)} (${why}).`, ...noShare, ...steps.flatMap(describeAhead)];
  const end = share < 100 ? steps.findIndex(({ config }) => config === front) + 1 : steps.length;
  const waiting = steps.slice(end);
  const held =
    waiting.length === 0 ? [] : [`Waits until the rollout is complete: ${describeOrder(waiting)}.`];
  return {
    ...planAll(steps.slice(0, end), [...lines, ...held], share),
    waiting: waiting.map(({ config }) => config),
  };
}

/** An account that has all that these configurations bind of each other. */
export function asIfDeployed(configs: readonly WorkerConfig[]): DeployedWorkers {
  const callees = configs.flatMap((config) => config.callees);
  const offers = new Set(callees.flatMap(({ entrypoint }) => entrypoint ?? []));
  return new Map(configs.map(({ name }) => [name, { answering: [], offers }]));
}

/** Throws a `Failure` that names the Workers when each binds something new of another. */
function orderForDeploy(configs: readonly WorkerConfig[], deployed: DeployedWorkers): readonly DeployStep[] {
  const steps: DeployStep[] = [];
  const waiting = configs.toSorted((a, b) => a.name.localeCompare(b.name));
  while (waiting.length > 0) {
    const possible = waiting.filter((config) => listNeeds(config, waiting, deployed).length === 0);
    const config = possible.find((candidate) => listReaders(candidate, waiting).length === 0) ?? possible[0];
    if (config === undefined) {
      const names = waiting.map(({ name }) => name).join(" and ");
      throw new Failure(`${names} each bind something new of another one: remove one of the bindings.`);
    }
    waiting.splice(waiting.indexOf(config), 1);
    // A reader that is not there cannot be too old.
    const ahead = listReaders(config, waiting).filter((name) => deployed.has(name));
    steps.push({ config, needs: listNeeds(config, configs, deployed), ahead });
  }
  return steps;
}

function listNeeds(
  config: WorkerConfig,
  others: readonly WorkerConfig[],
  deployed: DeployedWorkers,
): readonly string[] {
  const isLacking = (name: string): boolean =>
    config.callees.some(({ worker, entrypoint }) => {
      const offers = deployed.get(name)?.offers;
      return worker === name && (offers === undefined || (entrypoint !== null && !offers.has(entrypoint)));
    });
  return others.filter((other) => other !== config && isLacking(other.name)).map(({ name }) => name);
}

function listReaders(config: WorkerConfig, others: readonly WorkerConfig[]): readonly string[] {
  const readers = FORMATS.filter(({ writer }) => writer === config.source.name).map(({ reader }) => reader);
  return others
    .filter(({ source }) => readers.some((reader) => reader === source.name))
    .map(({ name }) => name);
}

function planAll(steps: readonly DeployStep[], lines: readonly string[], percent: number): DeployPlan {
  return { configs: steps.map(({ config }) => config), percent, waiting: [], lines };
}

function planOne(
  steps: readonly DeployStep[],
  { only, percent }: { readonly only: string; readonly percent: number },
  deployed: DeployedWorkers | null,
): DeployPlan {
  const found = steps.filter(({ config }) => config.source.name === only);
  const [missing] = deployed === null ? [] : found.flatMap(({ needs }) => needs);
  if (missing !== undefined) {
    throw new Failure(
      `${only} binds what the account does not have: deploy ${missing} first, or all of them.`,
    );
  }
  return planAll(found, [`Only ${only}; the others stay as they are.`], percent);
}

function describeOrder(steps: readonly DeployStep[]): string {
  return steps.map(({ config }) => config.source.name).join(", ");
}

function describeAhead({ config, ahead }: DeployStep): readonly string[] {
  return ahead.map(
    (reader) =>
      `! ${config.name} goes before ${reader}, which reads what it writes and binds something new of it: the deployed ` +
      `${reader} must be able to read it already.`,
  );
}
