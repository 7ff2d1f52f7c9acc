/** The course of a run, second by second, from totals and from the ledger. Pure. */
import { latencyAtShare, LATENCY_COUNTERS } from "../script/latency-buckets.ts";
import { TIER_COUNTERS, TIERS, type Tier } from "../script/tiers.ts";
import type { FlowSecond } from "./click-flow.ts";
import type { CpuReading } from "@hopline/bench/cpu-meter";
import type { CounterSample } from "./k6-process.ts";

/** What is read from k6 each second. */
export const SAMPLED_COUNTERS: readonly string[] = [
  "http_reqs",
  "redirects",
  ...Object.values(TIER_COUNTERS),
  ...LATENCY_COUNTERS,
];

/** A value at a moment, in seconds since the start of the run. `null`: nothing to say, not zero. */
type Point = { readonly atSeconds: number; readonly value: number | null };
export type Line = readonly Point[];

export type RunSeries = {
  readonly lengthSeconds: number;
  readonly requestsPerSecond: Line;
  readonly redirectsPerSecond: Line;
  readonly insertsPerSecond: Line;
  /** Clicks answered and not yet in the database. */
  readonly clicksWaiting: Line;
  readonly p50Ms: Line;
  readonly p95Ms: Line;
  readonly p99Ms: Line;
  readonly delayP50Ms: Line;
  readonly delayP95Ms: Line;
  readonly delayMaxMs: Line;
  /** Of the answers that were asked for their tier, between 0 and 1. */
  readonly tierShares: Readonly<Record<Tier, Line>>;
  /** Of all cores, between 0 and 1: busy with anything, and with the run. */
  readonly cpuBusy: Line;
  readonly cpuOurs: Line;
};

export type CpuSample = CpuReading & { readonly atMs: number };

export function toRunSeries(
  samples: readonly CounterSample[],
  flow: readonly FlowSecond[],
  cpu: readonly CpuSample[],
): RunSeries {
  const firstBusy = samples.findIndex(({ counts }) => (counts["http_reqs"] ?? 0) > 0);
  const used = firstBusy === -1 ? [] : samples.slice(Math.max(0, firstBusy - 1));
  const startMs = used[0]?.atMs ?? flow[0]?.atMs ?? 0;
  const endMs = Math.max(used.at(-1)?.atMs ?? startMs, (flow.at(-1)?.atMs ?? 0) + 1_000);
  const toSeconds = (atMs: number): number => (atMs - startMs) / 1_000;
  const windows = toWindows(used);
  const line = (read: (window: Window) => number | null): Line =>
    windows.map((window) => ({ atSeconds: toSeconds(window.endMs), value: read(window) }));
  const arrived = (read: (second: FlowSecond) => number): Line =>
    flow.map((second) => ({ atSeconds: toSeconds(second.atMs + 1_000), value: read(second) }));
  const during = cpu.filter(({ atMs }) => atMs >= startMs && atMs <= endMs);
  const latency = (share: number): Line =>
    line(({ delta }) =>
      latencyAtShare(
        LATENCY_COUNTERS.map((name) => delta(name)),
        share,
      ),
    );
  return {
    lengthSeconds: Math.max(1, toSeconds(endMs)),
    requestsPerSecond: line(({ delta, seconds }) => delta("http_reqs") / seconds),
    redirectsPerSecond: line(({ delta, seconds }) => delta("redirects") / seconds),
    insertsPerSecond: fillGaps(arrived(({ inserted }) => inserted)),
    clicksWaiting: toWaiting(used, flow).map(({ atMs, value }) => ({ atSeconds: toSeconds(atMs), value })),
    p50Ms: latency(0.5),
    p95Ms: latency(0.95),
    p99Ms: latency(0.99),
    delayP50Ms: arrived(({ delayP50Ms }) => delayP50Ms),
    delayP95Ms: arrived(({ delayP95Ms }) => delayP95Ms),
    delayMaxMs: arrived(({ delayMaxMs }) => delayMaxMs),
    tierShares: toTierShares(used, toSeconds),
    cpuBusy: during.map(({ atMs, busy }) => ({ atSeconds: toSeconds(atMs), value: busy })),
    cpuOurs: during.map(({ atMs, ours }) => ({ atSeconds: toSeconds(atMs), value: ours })),
  };
}

type Window = { readonly endMs: number; readonly seconds: number; readonly delta: (name: string) => number };

/** What happened between each two readings. */
function toWindows(samples: readonly CounterSample[]): readonly Window[] {
  return samples.slice(1).flatMap((sample, index) => {
    const before = samples[index];
    if (before === undefined || sample.atMs <= before.atMs) {
      return [];
    }
    const delta = (name: string): number =>
      Math.max(0, (sample.counts[name] ?? 0) - (before.counts[name] ?? 0));
    return [{ endMs: sample.atMs, seconds: (sample.atMs - before.atMs) / 1_000, delta }];
  });
}

/** Few answers are asked for their tier: a share is that of the last seconds together. */
const TIER_WINDOW_SECONDS = 5;

function toTierShares(samples: readonly CounterSample[], toSeconds: (atMs: number) => number) {
  const windows = samples.slice(1).map((sample, index) => {
    const before = samples[Math.max(0, index + 1 - TIER_WINDOW_SECONDS)];
    const count = (tier: Tier): number =>
      Math.max(0, (sample.counts[TIER_COUNTERS[tier]] ?? 0) - (before?.counts[TIER_COUNTERS[tier]] ?? 0));
    return {
      atSeconds: toSeconds(sample.atMs),
      count,
      asked: TIERS.reduce((sum, tier) => sum + count(tier), 0),
    };
  });
  const share = (tier: Tier): Line =>
    windows.map(({ atSeconds, count, asked }) => ({
      atSeconds,
      value: asked === 0 ? null : count(tier) / asked,
    }));
  return {
    isolate: share("isolate"),
    kv: share("kv"),
    db: share("db"),
    stale: share("stale"),
    negative: share("negative"),
  };
}

function toWaiting(samples: readonly CounterSample[], flow: readonly FlowSecond[]) {
  return samples.map(({ atMs, counts }) => {
    let inserted = 0;
    for (const second of flow) {
      // A second's rows count for the part of it that has passed.
      inserted += second.inserted * Math.min(1, Math.max(0, (atMs - second.atMs) / 1_000));
    }
    return { atMs, value: Math.max(0, (counts["redirects"] ?? 0) - inserted) };
  });
}

/** A second in which nothing arrived is a zero, and a line that leaps over it would lie. */
function fillGaps(line: Line): Line {
  return line.flatMap((point, index) => {
    const before = line[index - 1];
    const missing = before === undefined ? 0 : Math.round(point.atSeconds - before.atSeconds) - 1;
    const zeros = Array.from({ length: Math.max(0, missing) }, (_, step) => ({
      atSeconds: (before?.atSeconds ?? 0) + step + 1,
      value: 0,
    }));
    return [...zeros, point];
  });
}
