/** The figures of the analytics: each question's times in milliseconds, its p95 held to that question's own bar. Pure. */
import type { SectionReport } from "../section.ts";
import { median, percentile } from "../statistics.ts";

export type Timing = {
  readonly name: string;
  readonly barMs: number;
  readonly tookMs: readonly number[];
  /** A question that was refused has no time, and so misses its gate. */
  readonly status: number;
};

export function toReport(timings: readonly Timing[]): SectionReport {
  return {
    figures: timings.flatMap(({ name, status, tookMs }) =>
      status === 200
        ? [
            { name: `analytics.p95: ${name}`, value: percentile(tookMs, 95), unit: "ms" as const },
            { name: `analytics.median: ${name}`, value: median(tookMs), unit: "ms" as const },
            { name: `analytics.quickest: ${name}`, value: Math.min(...tookMs), unit: "ms" as const },
          ]
        : [],
    ),
    gates: timings.map(({ name, barMs }) => ({
      section: "analytics",
      figure: `analytics.p95: ${name}`,
      title: `${name}, p95`,
      unit: "ms",
      bar: { atMost: barMs },
      source: "ten million clicks; a question with two filters has more time",
    })),
    lines: [
      `${timings.length} questions`,
      ...timings.flatMap(({ name, status }) => (status === 200 ? [] : [`${name}: refused with ${status}`])),
      "Slowest of the quickest requests, which a busy machine disturbs least:",
      ...timings
        .filter(({ status }) => status === 200)
        .map(({ name, tookMs }) => ({ name, quickestMs: Math.min(...tookMs) }))
        .toSorted((a, b) => b.quickestMs - a.quickestMs)
        .slice(0, 10)
        .map(({ name, quickestMs }) => `${quickestMs.toFixed(0)} ms, ${name}`),
    ],
  };
}
