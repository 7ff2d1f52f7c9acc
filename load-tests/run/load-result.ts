/** The result of one run: what `--json` writes, what the summary and the report tell. Pure. */
import type { CpuReading } from "./cpu-meter.ts";
import { type K6Summary, statisticOf } from "./k6-summary.ts";
import type { LoadPlan } from "./load-plan.ts";
import type { Machine } from "./machine.ts";
import type { StoredClicks, Verdict } from "./verdict.ts";

type Latency = {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

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
  /** Of the steady phase. */
  readonly steadyRate: number;
  readonly latency: Latency;
  readonly stored: StoredClicks | null;
  readonly machine: Machine;
  /** Share of all cores that went to others while k6 ran; `null`: unknown here. Above 0.1 the figure says little. */
  readonly cpuOfOthers: number | null;
  readonly versions: { readonly [name: string]: string };
};

export type ResultParts = {
  readonly startedAt: string;
  readonly command: string;
  readonly plan: LoadPlan;
  readonly steadySeconds: number;
  readonly summary: K6Summary;
  readonly verdict: Verdict;
  readonly stored: StoredClicks | null;
  readonly machine: Machine;
  readonly cpu: readonly CpuReading[];
  readonly versions: { readonly [name: string]: string };
};

export function toLoadResult(parts: ResultParts): LoadResult {
  const { summary, plan, startedAt, command, verdict, stored, machine, versions } = parts;
  const duration = (statistic: string): number =>
    roundTo(statisticOf(summary, "http_req_duration{scenario:steady}", statistic), 2);
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
      statisticOf(summary, "iterations{scenario:steady}", "count") / parts.steadySeconds,
      1,
    ),
    latency: {
      p50Ms: duration("med"),
      p95Ms: duration("p(95)"),
      p99Ms: duration("p(99)"),
      maxMs: duration("max"),
    },
    stored,
    machine,
    cpuOfOthers: meanOfOthers(parts.cpu),
    versions,
  };
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
