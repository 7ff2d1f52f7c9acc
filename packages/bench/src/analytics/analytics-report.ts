/** The figures of the analytics: each question's times in milliseconds, its p95 held to that question's own bar. Pure. */
import type { SectionReport } from "../section.ts";
import { median, percentile } from "../statistics.ts";

export type Timing = {
  readonly name: string;
  readonly barMs: number;
  readonly tookMs: readonly number[];
  /** Of a round, in all processes of this run; `null` where it cannot be read. */
  readonly cpuMs: number | null;
  /** A question that was refused has no time, and so misses its gate. */
  readonly status: number;
};

/** Which of a question's figures is held to its bar. */
export type Held = { readonly statistic: "p95" | "median"; readonly source: string };

export function toReport(timings: readonly Timing[], { statistic, source }: Held): SectionReport {
  return {
    figures: timings.flatMap(({ name, status, tookMs, cpuMs }) =>
      status === 200
        ? [
            { name: `analytics.p95: ${name}`, value: percentile(tookMs, 95), unit: "ms" as const },
            { name: `analytics.median: ${name}`, value: median(tookMs), unit: "ms" as const },
            ...(cpuMs === null
              ? []
              : [{ name: `analytics.cpu: ${name}`, value: cpuMs, unit: "ms" as const }]),
          ]
        : [],
    ),
    gates: timings.map(({ name, barMs }) => ({
      section: "analytics",
      figure: `analytics.${statistic}: ${name}`,
      title: `${name}, ${statistic}`,
      unit: "ms",
      bar: { atMost: barMs },
      source,
    })),
    lines: [
      `${timings.length} questions`,
      ...timings.map(({ name, status, tookMs, cpuMs }) =>
        status === 200
          ? `${name}: ${Math.min(...tookMs).toFixed(0)} ms at least, median ${median(tookMs).toFixed(0)}, p95 ${percentile(tookMs, 95).toFixed(0)}; CPU ${cpuMs?.toFixed(0) ?? "unknown"} ms`
          : `${name}: refused with ${status}`,
      ),
    ],
  };
}
