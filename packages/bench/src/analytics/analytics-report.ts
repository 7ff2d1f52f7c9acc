/** The figures of the analytics: each question's p95 in milliseconds, held to that question's own bar. Pure. */
import type { SectionReport } from "../section.ts";
import { median, percentile } from "../statistics.ts";
import { formatTable } from "../table.ts";

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
        ? [{ name: `analytics.p95: ${name}`, value: percentile(tookMs, 95), unit: "ms" as const }]
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
    lines: formatTable(
      timings.map(({ name, status, tookMs, barMs }) => [
        name,
        status === 200 ? `${median(tookMs).toFixed(0)} ms` : `refused: ${status}`,
        status === 200 ? `p95 ${percentile(tookMs, 95).toFixed(0)} ms` : "",
        `bar ${barMs} ms`,
      ]),
    ),
  };
}
