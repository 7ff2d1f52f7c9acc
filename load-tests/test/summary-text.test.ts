import { expect, it } from "vitest";

import { formatNumber } from "../run/format-number.ts";
import { toLoadResult, toUnseenResult } from "../run/load-result.ts";
import { describeResult } from "../run/summary-text.ts";

it.each([
  [0.4821, "0.482"],
  [12.34, "12.3"],
  [1_234.6, "1,235"],
  [2_345_678, "2.35 M"],
])("prints %d as %s", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

const latency = { med: 1, "p(90)": 1.5, "p(95)": 2, "p(99)": 3, "p(99.9)": 3.5, max: 4 };
const PARTS = {
  startedAt: "2026-11-21T06:00:00.000Z",
  command: "pnpm load",
  environment: null,
  commit: "",
  hasUncommittedChanges: false,
  machine: { cpu: "A CPU", cores: 2, memoryGiB: 8, system: "Linux", loadBefore: 0.1 },
  versions: {},
  plan: {
    script: "redirect",
    target: "hopline",
    rate: 100,
    duration: "60s",
    rampSeconds: null,
    linkCount: 20_000,
    isCold: true,
    isPublishingPaused: true,
    spread: "uniform",
    isTail: false,
  },
  verdict: { isOk: true, findings: [{ name: "Every answer right", isOk: true, detail: "all" }] },
  imported: null,
  statements: 60,
  stored: null,
  cpuOfOthers: 0.02,
  mainSeconds: 60,
  summary: {
    missedBars: [],
    failedChecks: [],
    metrics: {
      redirects: { count: 6_900 },
      answers_429: { count: 100 },
      wrong_location: { count: 3 },
      took_db: { ...latency, avg: 1.5, count: 600 },
      // The square of 1.5 and a half of a millisecond on either side.
      took_db_squares: { count: 600 * (1.5 ** 2 + 0.5 ** 2) },
      import_ms: { max: 6_240 },
      "iterations{scenario:steady}": { count: 6_000 },
      "http_req_duration{scenario:first}": { ...latency, "p(95)": 240 },
      "http_req_duration{scenario:steady}": latency,
      change_in_effect_ms: { ...latency, count: 90 },
    },
  },
} as const;

it("reports of a cold run its answers by status, its tiers, and the first seconds apart", () => {
  const text = describeResult(toLoadResult(PARTS)).join("\n");
  expect(text.replaceAll(/ +/g, " ")).toContain(`
 Steady rate 100 visits/s
 Requests 7,000; 0 dropped, no VU free
 Answers redirects: 6,900, 429: 100, wrong location: 3
 Tiers, of those asked db: 600
 db p50 1 ms, p90 1.5 ms, p95 2 ms, p99 3 ms, p99.9 3.5 ms, max 4 ms, deviation 0.5 ms
 Answer times, first 10 s p50 1 ms, p90 1.5 ms, p95 240 ms, p99 3 ms, p99.9 3.5 ms, max 4 ms
 Answer times, after p50 1 ms, p90 1.5 ms, p95 2 ms, p99 3 ms, p99.9 3.5 ms, max 4 ms
 Changes in effect 90, after p50 1 ms, p90 1.5 ms, p95 2 ms, p99 3 ms, p99.9 3.5 ms, max 4 ms
 Links 20,000 imported through the API in 6.2 s; uniform, publishing paused
 Machine 2 cores, A CPU; load average before 0.1; others used 2 % of the CPU`);
});

it("reports of a warm run how long its links took to reach KV, and leaves out what it does not have", () => {
  const { change_in_effect_ms: _changes, ...metrics } = PARTS.summary.metrics;
  const text = describeResult(
    toLoadResult({
      ...PARTS,
      plan: { ...PARTS.plan, isCold: false },
      imported: { seconds: 6.2, kvSeconds: 31 },
      summary: { ...PARTS.summary, metrics },
    }),
  ).join("\n");
  expect(text).toContain(
    "20,000 imported through the API in 6.2 s; put into KV, before the first visit, in 31 s more",
  );
  expect(text).not.toMatch(/first 10 s|Changes in effect|NaN|undefined/);
});

it("says of a run without k6's summary only what the database knows", () => {
  const { mainSeconds: _seconds, summary: _summary, ...parts } = PARTS;
  const findings = [{ name: "Every answer right", isOk: null, detail: "not judged" }];
  const verdict = { isOk: true, findings };
  const result = toUnseenResult({ ...parts, verdict, redirects: 6_900, environment: "staging" });
  expect(describeResult(result).filter((line) => line !== "")).toEqual([
    `  – ${"Every answer right".padEnd(26)} not judged`,
    `    ${"Deployment".padEnd(26)} staging`,
    "✓ The run held.",
  ]);
});
