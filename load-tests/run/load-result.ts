/** The result of one run: what `--json` writes, what the summary and the report tell. Pure. */
import { SCRIPT_DEFAULTS } from "../script/script-defaults.ts";
import type { CpuReading } from "@hopline/bench/cpu-meter";
import type { Imported } from "./import-links.ts";
import { type K6Summary, statisticOf } from "./k6-summary.ts";
import type { RunPlan } from "./load-plan.ts";
import type { Machine } from "./machine.ts";
import type { StoredClicks, Verdict } from "./verdict.ts";

type Latency = {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

type Changes = Latency & { readonly count: number };

export type LoadResult = {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly command: string;
  readonly script: string;
  readonly target: string;
  readonly linkCount: number;
  readonly verdict: Verdict;
  readonly requests: number;
  readonly redirects: number;
  /** Requests that k6 was to send and had no VU for. */
  readonly dropped: number;
  /** Of the main phase: the steady one, or the burst. */
  readonly steadyRate: number;
  readonly latency: Latency;
  /** Of the changes made through the API during the run: from the answer until a visit saw it. */
  readonly changes: Changes | null;
  /** How the links came to be before the run, all of them in KV; `null` where none were needed. */
  readonly imported: Imported | null;
  readonly stored: StoredClicks | null;
  readonly machine: Machine;
  /** Share of all cores that went to others while k6 ran; `null`: unknown here. Above 0.1 the figure says little. */
  readonly cpuOfOthers: number | null;
  readonly versions: { readonly [name: string]: string };
};

export type ResultParts = {
  readonly startedAt: string;
  readonly command: string;
  readonly plan: RunPlan;
  /** Length of the main phase. */
  readonly mainSeconds: number;
  readonly summary: K6Summary;
  readonly verdict: Verdict;
  readonly stored: StoredClicks | null;
  readonly machine: Machine;
  readonly cpu: readonly CpuReading[];
  readonly versions: { readonly [name: string]: string };
  readonly imported: Imported | null;
};

export function toLoadResult(parts: ResultParts): LoadResult {
  const { summary, plan, startedAt, command, verdict, stored, machine, versions } = parts;
  const { mainPhase } = SCRIPT_DEFAULTS[plan.script];
  const changeCount = statisticOf(summary, "change_in_effect_ms", "count");
  return {
    startedAt,
    command,
    script: plan.script,
    target: plan.target,
    linkCount: plan.linkCount,
    verdict,
    requests: statisticOf(summary, "http_reqs", "count"),
    redirects: statisticOf(summary, "redirects", "count"),
    dropped: statisticOf(summary, "dropped_iterations", "count"),
    steadyRate: roundTo(
      statisticOf(summary, `iterations{scenario:${mainPhase}}`, "count") / parts.mainSeconds,
      1,
    ),
    latency: toLatency(summary, `http_req_duration{scenario:${mainPhase}}`),
    changes: changeCount === 0 ? null : { count: changeCount, ...toLatency(summary, "change_in_effect_ms") },
    imported: parts.imported,
    stored,
    machine,
    cpuOfOthers: meanOfOthers(parts.cpu),
    versions,
  };
}

function toLatency(summary: K6Summary, metric: string): Latency {
  const read = (statistic: string): number => roundTo(statisticOf(summary, metric, statistic), 2);
  return { p50Ms: read("med"), p95Ms: read("p(95)"), p99Ms: read("p(99)"), maxMs: read("max") };
}

function meanOfOthers(readings: readonly CpuReading[]): number | null {
  const others = readings.flatMap(({ busy, ours }) => (ours === null ? [] : [busy - ours]));
  return others.length === 0
    ? null
    : roundTo(others.reduce((sum, share) => sum + share, 0) / others.length, 3);
}

function roundTo(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
