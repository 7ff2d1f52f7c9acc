/** One slice: a bounded number of requests to one target, with the CPU time its process used for them. */
import { Failure } from "@hopline/testkit/console/failure";

import { readCpuMicroseconds } from "../cpu-meter.ts";
import { percentile, standardDeviation } from "../statistics.ts";
import { generateLoad } from "./load-generator.ts";
import { checkClicks, checkLookUps, type RunningTarget, touchSlugs, untilIdle } from "./running-target.ts";

/** Milliseconds. */
export type Latency = { readonly [statistic in (typeof LATENCIES)[number]]: number };
export const LATENCIES = ["p50", "p90", "p95", "p99", "p99.9", "worst", "deviation"] as const;

/** Latencies are those of a closed loop: each of the connections always has a request in flight. */
export type Slice = {
  readonly cpuMicrosPerRequest: number;
  readonly requestsPerSecond: number;
  readonly latency: Latency;
  readonly lookUpsPerRequest: number;
  readonly queueMessagesPerRequest: number;
};

const CONNECTIONS = 32;

/**
 * Rejects with a `Failure` when an answer, the number of clicks or the number of look-ups is not what it must be.
 *
 * @param firstNumber where the numbering of new slugs begins; no two slices may overlap.
 */
export async function measureSlice(
  running: RunningTarget,
  requests: number,
  firstNumber: number,
): Promise<Slice> {
  const { target, workerd } = running;
  const touched = await touchSlugs(running);
  const countsBefore = await workerd.counts();
  const cpuBefore = readCpuMicroseconds(workerd.pid);
  const { latenciesMs, unexpected, elapsedMs } = await generateLoad({
    ...target.traffic,
    firstNumber,
    requests,
    connections: CONNECTIONS,
    port: workerd.port,
    expectedStatus: target.expected.status,
  });
  // The last clicks are still on their way, and what is done after an answer is part of its cost.
  await untilIdle(running);
  const cpuMicros = readCpuMicroseconds(workerd.pid) - cpuBefore;
  const counts = await workerd.counts();
  if (unexpected > 0) {
    throw new Failure(
      `${target.name}: ${unexpected} of ${requests} answers were not ${target.expected.status}.`,
    );
  }
  checkClicks(target, await workerd.takeMessages(), requests + touched);
  const lookUps = counts.lookUps - countsBefore.lookUps;
  checkLookUps(target, lookUps, requests);
  return {
    cpuMicrosPerRequest: cpuMicros / requests,
    requestsPerSecond: (requests * 1_000) / elapsedMs,
    latency: {
      p50: percentile(latenciesMs, 50),
      p90: percentile(latenciesMs, 90),
      p95: percentile(latenciesMs, 95),
      p99: percentile(latenciesMs, 99),
      "p99.9": percentile(latenciesMs, 99.9),
      worst: percentile(latenciesMs, 100),
      deviation: standardDeviation(latenciesMs),
    },
    lookUpsPerRequest: lookUps / requests,
    queueMessagesPerRequest: (counts.queueMessages - countsBefore.queueMessages) / requests,
  };
}
