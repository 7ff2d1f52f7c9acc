/** The words `pnpm load` ends with. Pure. */
import { formatNumber } from "./axis.ts";
import type { Imported } from "./import-links.ts";
import type { LoadResult } from "./load-result.ts";

const NAME_WIDTH = 26;

export function describeResult(result: LoadResult): readonly string[] {
  const { changes, imported, latency, machine, stored, verdict } = result;
  return [
    "",
    ...verdict.findings.map(
      ({ name, isOk, detail }) => `  ${isOk ? "✓" : "✗"} ${name.padEnd(NAME_WIDTH)} ${detail}`,
    ),
    "",
    row(
      result.script === "burst" ? "Rate of the burst" : "Steady rate",
      `${formatNumber(result.steadyRate)} redirects/s`,
    ),
    row(
      "Requests",
      `${formatNumber(result.requests)}, ${formatNumber(result.dropped)} not sent for want of a free VU`,
    ),
    row(
      "Answer times",
      `p50 ${latency.p50Ms} ms, p95 ${latency.p95Ms} ms, p99 ${latency.p99Ms} ms, max ${latency.maxMs} ms`,
    ),
    ...(changes === null
      ? []
      : [
          row(
            "Changes in effect",
            `${formatNumber(changes.count)}, after p50 ${changes.p50Ms} ms, p95 ${changes.p95Ms} ms, ` +
              `p99 ${changes.p99Ms} ms, max ${changes.maxMs} ms`,
          ),
        ]),
    ...(imported === null ? [] : [row("Links", describeImport(result.linkCount, imported))]),
    ...(stored === null
      ? []
      : [
          row(
            "Clicks",
            `${formatNumber(stored.events)} in ${formatNumber(stored.segments)} segments of ${stored.isolates} ` +
              `${stored.isolates === 1 ? "isolate" : "isolates"}, ${formatNumber(stored.duplicates)} delivered twice`,
          ),
        ]),
    row(
      "Machine",
      `${machine.cpuCount} cores, ${machine.cpuModel}; load average before ${machine.loadAverageBefore}; ` +
        `others took ${result.cpuOfOthers === null ? "an unknown part" : `${Math.round(result.cpuOfOthers * 100)} %`} of the CPU`,
    ),
    "",
    verdict.isOk ? "✓ The run held." : "✗ The run did not hold.",
  ];
}

/** Says too what the run did not measure: a first click on a link that is not in KV. */
export function describeImport(linkCount: number, { seconds, kvSeconds }: Imported): string {
  return (
    `${formatNumber(linkCount)} imported through the API in ${seconds} s; ` +
    `put into KV, before the first visit, in ${kvSeconds} s more`
  );
}

function row(name: string, text: string): string {
  return `    ${name.padEnd(NAME_WIDTH)} ${text}`;
}
