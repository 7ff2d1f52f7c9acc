/**
 * Measures all targets round by round. A round gives each target a short slice or two, in an order drawn anew; a target and
 * its yardstick take turns next to each other, so that a neighbour that disturbs the machine for a second disturbs both.
 * A round's figure is the mean of its slices, never their median: workerd collects garbage once in some thousand requests,
 * and that belongs to the cost of a request.
 */
import { shuffle } from "../statistics.ts";
import { measureSlice, type Slice } from "./measure-slice.ts";
import type { RunningTarget } from "./running-target.ts";

/** Slices by the name of their target. Later rounds hold only the targets whose gates are not clear yet. */
export type Round = ReadonlyMap<string, readonly Slice[]>;

/** How much is measured. */
export type Effort = {
  /** Enough where the machine is quiet. Where a gate is not clear then, it gets further rounds. */
  readonly minRounds: number;
  /** Of each target, before its first slice. */
  readonly warmUpRequests: number;
  readonly slicesPerRound: number;
};
/**
 * V8 compiles what runs often a second and a third time: the last of an isolate hit after 40,000 requests (`--trace-opt`,
 * workerd 1.20261102). A KV hit also has to fill the isolate's cache first, with some 28,000 records. After 20,000 requests its
 * share still fell from 1.45 in the first round to 1.15 in the eighth.
 */
export const FOR_FIGURES: Effort = { minRounds: 5, warmUpRequests: 40_000, slicesPerRound: 2 };
/** For a verdict alone: colder figures are higher, and the bars are half again what is measured. */
export const FOR_A_VERDICT: Effort = { minRounds: 3, warmUpRequests: 20_000, slicesPerRound: 1 };
const MAX_ROUNDS = 12;
const REQUESTS_PER_SLICE = 2_500;
/**
 * With KV, workerd collects all of its garbage about once in 3,300 requests, which takes 50 to 110 ms (`--trace-gc`): a slice
 * of 2,500 has one collection or none, and that alone is a tenth of its figure.
 */
const REQUESTS_PER_KV_SLICE = 7_500;

export type RoundsPlan = {
  /** Exactly this many rounds of everything; `null`: as many as the gates need to be clear. */
  readonly rounds: number | null;
  readonly effort: Effort;
  /** Targets that need another round. */
  readonly unclear: (rounds: readonly Round[]) => ReadonlySet<string>;
  /** In [0, 1). */
  readonly random: () => number;
  readonly say: (status: string) => void;
};

/** @param groups targets that are compared with each other, side by side. */
export async function runRounds(
  groups: readonly (readonly RunningTarget[])[],
  plan: RoundsPlan,
): Promise<readonly Round[]> {
  const { warmUpRequests, slicesPerRound } = plan.effort;
  for (const running of groups.flat()) {
    plan.say(`warming up: ${running.target.title}`);
    await measureSlice(running, warmUpRequests, 0);
  }
  let nextNumber = warmUpRequests;
  return takeRounds(async (names) => {
    const chosen = groups.filter((group) => group.some(({ target }) => names?.has(target.name) ?? true));
    const turns = Array.from({ length: slicesPerRound }, () => chosen).flat();
    const slices = new Map<string, Slice[]>();
    for (const running of shuffle(turns, plan.random).flatMap((group) => shuffle(group, plan.random))) {
      const { name } = running.target;
      const requests = running.target.traffic.isEachNew ? REQUESTS_PER_KV_SLICE : REQUESTS_PER_SLICE;
      slices.set(name, [...(slices.get(name) ?? []), await measureSlice(running, requests, nextNumber)]);
      nextNumber += requests;
    }
    return slices;
  }, plan);
}

/** @param run measures one round of the targets it is given; `null`: of all. */
export async function takeRounds(
  run: (names: ReadonlySet<string> | null) => Promise<Round>,
  { rounds: chosen, effort, unclear, say }: Omit<RoundsPlan, "random">,
): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  let names: ReadonlySet<string> | null = null;
  do {
    say(`round ${rounds.length + 1}${names === null ? "" : `, for ${[...names].join(" and ")}`}`);
    rounds.push(await run(names));
    if (chosen === null && rounds.length >= effort.minRounds) {
      names = unclear(rounds);
    }
  } while (rounds.length < (chosen ?? MAX_ROUNDS) && names?.size !== 0);
  return rounds;
}

/** Mean CPU time of a target's requests over that of another's: one value for each round that has both. */
export function toCpuRatios(rounds: readonly Round[], name: string, other: string): readonly number[] {
  return rounds
    .filter((round) => round.has(name) && round.has(other))
    .map((round) => meanCpuMicros(round.get(name)) / meanCpuMicros(round.get(other)));
}

/** Slices of a target have the same number of requests: their mean is the mean of the requests. */
export function meanCpuMicros(slices: readonly Slice[] = []): number {
  return slices.reduce((sum, { cpuMicrosPerRequest }) => sum + cpuMicrosPerRequest, 0) / slices.length;
}
