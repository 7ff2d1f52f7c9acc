/** One slice: a bounded number of requests to one target, with the CPU time its process used for them. */
import { Failure } from "@hopline/testkit/console/failure";

import { percentile, standardDeviation } from "../statistics.ts";
import type { LoadProcess } from "./load-process.ts";
import { checkClicks, checkLookUps, type RunningTarget, touchSlugs, untilIdle } from "./running-target.ts";

export type SlicePlan = {
  readonly requests: number;
  readonly connections: number;
  /** Where slugs that are asked for once begin to be numbered; no two slices may overlap. */
  readonly firstNumber: number;
};

/** Latencies are those of a closed loop: each of the connections always has a request under way. */
export type Slice = {
  readonly cpuMicrosPerRequest: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly stdevMs: number;
  readonly lookUpsPerRequest: number;
  readonly queueMessagesPerRequest: number;
};

/** Fifty times what one takes: a slice that is slower measures something else. */
const MAX_MS_PER_REQUEST = 12;

/** Rejects with a `Failure` when an answer, the number of clicks or the number of look-ups is not what it must be. */
export async function measureSlice(
  running: RunningTarget,
  load: LoadProcess,
  plan: SlicePlan,
): Promise<Slice> {
  const { target, workerd } = running;
  const touched = await touchSlugs(running);
  const countsBefore = await workerd.counts();
  const cpuBefore = workerd.cpuMicroseconds();
  const maxMs = plan.requests * MAX_MS_PER_REQUEST;
  const result = await load.run({
    ...target.traffic,
    ...plan,
    port: workerd.port,
    expectedStatus: target.expected.status,
    maxMs,
  });
  // The last clicks are still on their way, and what is done behind an answer is part of its cost.
  await untilIdle(running);
  const cpuMicros = workerd.cpuMicroseconds() - cpuBefore;
  const counts = await workerd.counts();
  if (result.answered !== plan.requests || result.unexpected > 0) {
    throw new Failure(
      `${target.name}: ${result.answered} of ${plan.requests} requests were answered within ${maxMs / 1_000} s, ` +
        `${result.unexpected} of them not with ${target.expected.status}.`,
    );
  }
  checkClicks(target, await workerd.takeMessages(), result.answered + touched);
  const lookUps = counts.kvReads + counts.sqlQueries - countsBefore.kvReads - countsBefore.sqlQueries;
  checkLookUps(target, lookUps, result.answered);
  const latenciesMs = [...result.latenciesMs];
  return {
    cpuMicrosPerRequest: cpuMicros / result.answered,
    requestsPerSecond: (result.answered * 1_000) / result.elapsedMs,
    p50Ms: percentile(latenciesMs, 50),
    p99Ms: percentile(latenciesMs, 99),
    maxMs: percentile(latenciesMs, 100),
    stdevMs: standardDeviation(latenciesMs),
    lookUpsPerRequest: lookUps / result.answered,
    queueMessagesPerRequest: (counts.queueMessages - countsBefore.queueMessages) / result.answered,
  };
}
