/** The text `pnpm load` ends with. Pure. */
import { formatNumber } from "./format-number.ts";
import type { Latency } from "./latency.ts";
import type { LoadResult, UnseenResult } from "./load-result.ts";

const NAME_WIDTH = 26;

export function describeResult(result: LoadResult | UnseenResult): readonly string[] {
  const { plan, latency, firstLatency, changes, imported, stored, machine, verdict } = result;
  const { requests, dropped, steadyRate, answers, tiers, spreads } = result;
  return [
    "",
    ...verdict.findings.map(
      ({ name, isOk, detail }) =>
        `  ${isOk === null ? "–" : isOk ? "✓" : "✗"} ${name.padEnd(NAME_WIDTH)} ${detail}`,
    ),
    "",
    ...rows({
      [plan.script === "burst" ? "Rate of the burst" : "Steady rate"]:
        steadyRate === null ? null : `${formatNumber(steadyRate)} visits/s`,
      Requests:
        requests === null || dropped === null
          ? null
          : `${formatNumber(requests)}; ${formatNumber(dropped)} dropped, no VU free`,
      Answers: listCounts(answers ?? {}),
      "Tiers, of those asked": listCounts(tiers ?? {}),
      ...Object.fromEntries(
        Object.entries(spreads ?? {}).map(([tier, { deviationMs, ...latency }]) => [
          `  ${tier}`,
          `${describeLatency(latency)}, deviation ${deviationMs} ms`,
        ]),
      ),
      "Answer times, first 10 s": firstLatency === null ? null : describeLatency(firstLatency),
      [firstLatency === null ? "Answer times" : "Answer times, after"]:
        latency === null ? null : describeLatency(latency),
      "Changes in effect":
        changes === null ? null : `${formatNumber(changes.count)}, after ${describeLatency(changes)}`,
      Links:
        imported === null
          ? null
          : `${formatNumber(plan.linkCount)} imported through the API in ${imported.seconds} s; ` +
            (imported.kvSeconds === null
              ? `${plan.spread}, publishing ${plan.isPublishingPaused ? "paused" : "on"}`
              : `put into KV, before the first visit, in ${imported.kvSeconds} s more`),
      "Database statements":
        stored === null || result.statements === null
          ? null
          : `${formatNumber(result.statements)} from the producer`,
      Clicks:
        stored === null
          ? null
          : `${formatNumber(stored.events)} in ${formatNumber(stored.segments)} segments of ${stored.isolates} ` +
            `${stored.isolates === 1 ? "isolate" : "isolates"}, ${formatNumber(stored.duplicates)} delivered twice; ` +
            `from click to row p95 ${stored.delayP95Ms} ms`,
      Deployment: result.environment,
      Machine:
        result.environment !== null
          ? null
          : `${machine.cores} cores, ${machine.cpu}; load average before ${machine.loadBefore}; ` +
            `others used ${describeShare(result.cpuOfOthers)} of the CPU`,
    }),
    "",
    verdict.isOk ? "✓ The run held." : "✗ The run did not hold.",
  ];
}

/** `an unknown part` where there is no /proc. */
export function describeShare(share: number | null): string {
  return share === null ? "an unknown part" : `${Math.round(share * 100)} %`;
}

export function describeLatency({ p50Ms, p90Ms, p95Ms, p99Ms, p999Ms, maxMs }: Latency): string {
  return `p50 ${p50Ms} ms, p90 ${p90Ms} ms, p95 ${p95Ms} ms, p99 ${p99Ms} ms, p99.9 ${p999Ms} ms, max ${maxMs} ms`;
}

/** `redirects: 1,200, 429: 3`: kinds that did not occur are left out. */
function listCounts(counts: { readonly [name: string]: number }): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(
      ([name, count]) =>
        `${name.replace(/^(?:answers|tier)_/, "").replace("_", " ")}: ${formatNumber(count)}`,
    )
    .join(", ");
}

function rows(texts: Readonly<Record<string, string | null>>): readonly string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    text === null || text === "" ? [] : [`    ${name.padEnd(NAME_WIDTH)} ${text}`],
  );
}
