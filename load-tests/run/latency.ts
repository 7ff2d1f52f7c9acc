/** Answer times as k6 sums them up, and by tier. Pure. */
import { squaresOf, TIMED, tookOf } from "../script/counters.ts";
import { type K6Summary, statisticOf } from "./k6-summary.ts";

export type Latency = {
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
};

type Spread = Latency & { readonly count: number; readonly deviationMs: number };

/** By tier; without those that gave no answer. */
export type Spreads = { readonly [tier: string]: Spread };

export function toLatency(summary: K6Summary, metric: string): Latency {
  const read = (statistic: string): number => round(statisticOf(summary, metric, statistic), 2);
  return {
    p50Ms: read("med"),
    p90Ms: read("p(90)"),
    p95Ms: read("p(95)"),
    p99Ms: read("p(99)"),
    p999Ms: read("p(99.9)"),
    maxMs: read("max"),
  };
}

export function toSpreads(summary: K6Summary): Spreads {
  const spreads = TIMED.map((tier) => {
    const metric = tookOf(tier);
    const count = statisticOf(summary, metric, "count");
    const meanSquare = statisticOf(summary, squaresOf(tier), "count") / Math.max(1, count);
    const variance = Math.max(0, meanSquare - statisticOf(summary, metric, "avg") ** 2);
    return [
      tier,
      { count, ...toLatency(summary, metric), deviationMs: round(Math.sqrt(variance), 2) },
    ] as const;
  });
  return Object.fromEntries(spreads.filter(([, { count }]) => count > 0));
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
