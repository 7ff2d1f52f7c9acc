/**
 * Measures all targets round by round. A round gives each target several short slices, in an order drawn anew, and the
 * constant Worker one beside each of them: a neighbour that disturbs the machine for a second disturbs both. A round's
 * figure is the mean of its slices, never their median: workerd collects garbage once in some thousand requests, for as
 * long as all requests of a slice took, and that belongs to the cost of a request.
 */
import { shuffle } from "../statistics.ts";
import type { LoadProcess } from "./load-process.ts";
import { measureSlice, type Slice } from "./measure-slice.ts";
import type { RunningTarget } from "./running-target.ts";

export type Round = {
  readonly constant: readonly Slice[];
  readonly slicesByTarget: ReadonlyMap<string, readonly Slice[]>;
};

export type RoundsPlan = {
  /** To each target before the first round: what a Worker costs that has just started is another question. */
  readonly warmUpRequests: number;
  readonly length: RoundsLength;
  readonly slicesPerRound: number;
  readonly requestsPerSlice: number;
  readonly connections: number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly load: LoadProcess;
};

/** At least `min` rounds, then more until the ratios say enough, `max` at most. */
export type RoundsLength = {
  readonly min: number;
  readonly max: number;
  readonly isEnough: (rounds: readonly Round[]) => boolean;
};

/** So many and no more. */
export function exactly(rounds: number): RoundsLength {
  return { min: rounds, max: rounds, isEnough: () => true };
}

export async function runRounds(
  constant: RunningTarget,
  targets: readonly RunningTarget[],
  plan: RoundsPlan,
): Promise<readonly Round[]> {
  for (const running of [constant, ...targets]) {
    const { warmUpRequests: requests, connections, load } = plan;
    await measureSlice(running, load, { requests, connections, firstNumber: 0 });
  }
  const numbers = countFrom(plan.warmUpRequests, plan.requestsPerSlice);
  return takeRounds(() => runRound(constant, targets, { ...plan, numbers }), plan.length);
}

export async function takeRounds(
  run: () => Promise<Round>,
  { min, max, isEnough }: RoundsLength,
): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  while (rounds.length < min || (rounds.length < max && !isEnough(rounds))) {
    rounds.push(await run());
  }
  return rounds;
}

/** Mean CPU time of a target's requests against that of a yardstick's (the constant Worker's), one value for each round. */
export function toCpuRatios(rounds: readonly Round[], name: string, yardstick?: string): readonly number[] {
  return rounds.map(({ constant, slicesByTarget }) => {
    const own = slicesByTarget.get(name) ?? [];
    const other = yardstick === undefined ? constant : (slicesByTarget.get(yardstick) ?? []);
    return meanCpuMicros(own) / meanCpuMicros(other);
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
