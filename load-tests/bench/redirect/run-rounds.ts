/**
 * Measures all targets round by round. A round gives each target several short slices, in an order drawn anew, and the
 * constant Worker one beside each of them: a neighbour that disturbs the machine for a second disturbs both. A round's
 * figure is the mean of its slices, never their median: workerd collects garbage once in some thousand requests, for as
 * long as all requests of a slice took, and that belongs to the cost of a request.
 */
import { relativeSpread, shuffle } from "../statistics.ts";
import type { LoadProcess } from "./load-process.ts";
import { measureSlice, type Slice } from "./measure-slice.ts";
import type { RunningTarget } from "./running-target.ts";

export type Round = {
  readonly constant: readonly Slice[];
  readonly slicesByTarget: ReadonlyMap<string, readonly Slice[]>;
};

export type RoundsPlan = {
  readonly rounds: number;
  /** Where the ratios of `rounds` rounds lie far apart, rounds are added up to here. Looks at the spread alone. */
  readonly maxRounds: number;
  readonly slicesPerRound: number;
  readonly requestsPerSlice: number;
  readonly connections: number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly load: LoadProcess;
};

/** Half of the ratios of every target should agree within this share of the median. */
const WIDE_SPREAD = 0.1;

/** The first round is not kept: code is not compiled yet, connections and caches are new. */
export async function runRounds(
  constant: RunningTarget,
  targets: readonly RunningTarget[],
  plan: RoundsPlan,
): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  const numbers = countFrom(0, plan.requestsPerSlice);
  await runRound(constant, targets, { ...plan, numbers });
  while (rounds.length < plan.rounds || (rounds.length < plan.maxRounds && isSpreadWide(rounds, targets))) {
    rounds.push(await runRound(constant, targets, { ...plan, numbers }));
  }
  return rounds;
}

/** Mean CPU time of a target's requests against that of the constant Worker's, one value for each round. */
export function toCpuRatios(rounds: readonly Round[], name: string): readonly number[] {
  return rounds.map(({ constant, slicesByTarget }) => {
    const own = slicesByTarget.get(name) ?? [];
    return meanCpuMicros(own) / meanCpuMicros(constant);
  });
}

/** Slices are of the same number of requests: their mean is the mean of the requests. */
export function meanCpuMicros(slices: readonly Slice[]): number {
  return slices.reduce((sum, { cpuMicrosPerRequest }) => sum + cpuMicrosPerRequest, 0) / slices.length;
}

type RoundPlan = RoundsPlan & { readonly numbers: () => number };

async function runRound(
  constant: RunningTarget,
  targets: readonly RunningTarget[],
  plan: RoundPlan,
): Promise<Round> {
  const constantSlices: Slice[] = [];
  const slicesByTarget = new Map<string, Slice[]>(targets.map(({ target }) => [target.name, []]));
  const turns = Array.from({ length: plan.slicesPerRound }, () => targets).flat();
  for (const running of shuffle(turns, plan.random)) {
    const slice = {
      requests: plan.requestsPerSlice,
      connections: plan.connections,
      firstNumber: plan.numbers(),
    };
    constantSlices.push(await measureSlice(constant, plan.load, slice));
    slicesByTarget.get(running.target.name)?.push(await measureSlice(running, plan.load, slice));
  }
  return { constant: constantSlices, slicesByTarget };
}

function countFrom(first: number, step: number): () => number {
  let next = first - step;
  return () => {
    next += step;
    return next;
  };
}

function isSpreadWide(rounds: readonly Round[], targets: readonly RunningTarget[]): boolean {
  return targets.some(({ target }) => relativeSpread(toCpuRatios(rounds, target.name)) > WIDE_SPREAD);
}
