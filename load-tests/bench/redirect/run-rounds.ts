/**
 * Measures all targets in turn, round by round, each round in another order. Each slice of a target follows a slice of the
 * constant Worker, and its ratio is to that one: a neighbour that disturbs the machine for a second disturbs both.
 */
import { relativeSpread, shuffle } from "../statistics.ts";
import type { LoadProcess } from "./load-process.ts";
import { measureSlice, type Slice } from "./measure-slice.ts";
import type { RunningTarget } from "./running-target.ts";

/** A slice and that of the constant Worker just before it. */
export type Pair = { readonly own: Slice; readonly constant: Slice };

/** All pairs of each target, by its name. */
export type Measurements = ReadonlyMap<string, readonly Pair[]>;

export type RoundsPlan = {
  readonly rounds: number;
  /** Where the ratios of `rounds` rounds lie far apart, rounds are added up to here. Looks at the spread alone. */
  readonly maxRounds: number;
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
): Promise<Measurements> {
  const pairs = new Map<string, Pair[]>(targets.map(({ target }) => [target.name, []]));
  const { requestsPerSlice, connections } = plan;
  let firstNumber = 0;
  for (let round = 0; round <= plan.maxRounds; round += 1) {
    if (round > plan.rounds && !isSpreadWide(pairs)) {
      break;
    }
    for (const running of shuffle(targets, plan.random)) {
      const slice = { requests: requestsPerSlice, connections, firstNumber };
      const pair = {
        constant: await measureSlice(constant, plan.load, slice),
        own: await measureSlice(running, plan.load, slice),
      };
      firstNumber += requestsPerSlice;
      if (round > 0) {
        pairs.get(running.target.name)?.push(pair);
      }
    }
  }
  return pairs;
}

/** CPU time against the constant Worker's, one value for each round. */
export function toCpuRatios(pairs: readonly Pair[]): readonly number[] {
  return pairs.map(({ own, constant }) => own.cpuMicrosPerRequest / constant.cpuMicrosPerRequest);
}

function isSpreadWide(pairs: Measurements): boolean {
  return [...pairs.values()].some((ofTarget) => relativeSpread(toCpuRatios(ofTarget)) > WIDE_SPREAD);
}
