/** Decides what a run of `deploy` does: which Workers, in which order, and which of them wait. Pure. */
import { Failure } from "@hopline/testkit/console/failure";
import {
  asIfDeployed,
  type DeployedWorkers,
  type DeployStep,
  NOTHING_DEPLOYED,
  orderForDeploy,
} from "./deploy-order.ts";
import type { WorkerConfig } from "./worker-config.ts";

export type DeployWish = {
  /** The one Worker to deploy, as its source is called; null: all. */
  readonly only: string | null;
  /** Share of the traffic that the new producer gets; the others always change over whole. */
  readonly percent: number;
};

export type DeployPlan = {
  readonly configs: readonly WorkerConfig[];
  /** Deployed once a rollout of the producer has ended: until then the old one reads what they write. */
  readonly waiting: readonly WorkerConfig[];
  /** For a person, before the first change. */
  readonly lines: readonly string[];
};

/** The Worker that is rolled out by shares. */
const FRONT_DOOR = "producer";

/** `deployed` is null where the account was not looked at. Throws a `Failure` for what is not possible. */
export function planDeploy(
  configs: readonly WorkerConfig[],
  wish: DeployWish,
  deployed: DeployedWorkers | null,
): DeployPlan {
  const steps = orderForDeploy(configs, deployed ?? NOTHING_DEPLOYED);
  const { only, percent } = wish;
  if (only !== null) {
    return planOne(steps, only, deployed);
  }
  if (deployed === null) {
    const later = describeOrder(orderForDeploy(configs, asIfDeployed(configs)));
    const first = describeOrder(steps);
    return planAll(steps, [`Order: ${later}; in an account that has none of them: ${first}.`]);
  }
  const front = configs.find(({ source }) => source.name === FRONT_DOOR);
  if (percent < 100 && front !== undefined && !deployed.has(front.name)) {
    throw new Failure(
      `${front.name} is not deployed, so a new one has nothing to share with: leave --percent out.`,
    );
  }
  const hasNew = steps.some(({ needs }) => needs.length > 0);
  const why = hasNew ? "who is bound before who binds it" : "who reads before who writes";
  const lines = [`Order: ${describeOrder(steps)} (${why}).`, ...steps.flatMap(describeAhead)];
  const end = percent < 100 ? steps.findIndex(({ config }) => config === front) + 1 : steps.length;
  const waiting = steps.slice(end).map(({ config }) => config);
  const held = waiting.map(({ source }) => source.name).join(" and ");
  return {
    ...planAll(steps.slice(0, end), lines),
    waiting,
    lines:
      waiting.length === 0 ? lines : [...lines, `Until every visitor meets the new producer: not ${held}.`],
  };
}

function planAll(steps: readonly DeployStep[], lines: readonly string[]): DeployPlan {
  return { configs: steps.map(({ config }) => config), waiting: [], lines };
}

function planOne(steps: readonly DeployStep[], only: string, deployed: DeployedWorkers | null): DeployPlan {
  const found = steps.filter(({ config }) => config.source.name === only);
  const [missing] = deployed === null ? [] : found.flatMap(({ needs }) => needs);
  if (missing !== undefined) {
    throw new Failure(
      `${only} binds what the account does not have: deploy ${missing} first, or all of them.`,
    );
  }
  return planAll(found, [`Only ${only}; the others stay as they are.`]);
}

function describeOrder(steps: readonly DeployStep[]): string {
  return steps.map(({ config }) => config.source.name).join(", ");
}

function describeAhead({ config, ahead }: DeployStep): readonly string[] {
  return ahead.map(
    (reader) =>
      `! ${config.name} goes before ${reader}, which reads what it writes: the deployed ${reader} has to understand ` +
      "that already. Something new of it is bound, so it cannot come later.",
  );
}
