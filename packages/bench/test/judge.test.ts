import { describe, expect, it } from "vitest";

import { toReport } from "../src/analytics/analytics-report.ts";
import { EVERYDAY_SECTIONS, GATES, type Gate } from "../src/gates.ts";
import { describeJudgements, isClear, isPassed, judge } from "../src/judge.ts";
import { toResultFile } from "../src/result-file.ts";
import { median } from "../src/statistics.ts";

const aGate: Gate = {
  section: "redirect",
  figure: "redirect.isolate-hit.cpu-over-facts",
  title: "CPU of an isolate hit",
  unit: "x",
  bar: { atMost: 1.5 },
  source: "an example",
};
const measured = (samples: readonly number[]) => [
  { name: aGate.figure, value: median(samples), unit: aGate.unit, samples },
];

describe("a gate of the bench", () => {
  it.each([
    { bar: { atMost: 1.5 }, value: 1.5, verdict: "met" },
    { bar: { atMost: 1.5 }, value: 1.501, verdict: "missed" },
    { bar: { atLeast: 48.3 }, value: 48.3, verdict: "met" },
    { bar: { atLeast: 48.3 }, value: 48.2, verdict: "missed" },
    { bar: { atMost: 1.5 }, value: Number.NaN, verdict: "missed" },
  ] as const)("with bar $bar calls $value $verdict", ({ bar, value, verdict }) => {
    const judgements = judge([{ ...aGate, bar }], measured([value]));
    expect(judgements[0]?.verdict).toBe(verdict);
    expect(isPassed(judgements)).toBe(verdict === "met");
  });

  it("fails when its section has no figure for it", () => {
    expect(isPassed(judge([aGate], []))).toBe(false);
  });

  it("has a figure of its own", () => {
    expect(new Set(GATES.map(({ figure }) => figure)).size).toBe(GATES.length);
  });

  it("is among those that CI holds, in every section that CI runs", () => {
    expect(EVERYDAY_SECTIONS.filter((name) => !GATES.some(({ section }) => section === name))).toEqual([]);
  });
});

describe("the ratios of some rounds", () => {
  const bar = { atMost: 1.5 };

  it.each([
    ["all below the bar", [1.3, 1.35, 1.31, 1.4], true, "met"],
    ["below it but for one that a neighbour disturbed", [1.3, 1.35, 1.31, 1.4, 2.9], true, "met"],
    ["above it", [1.6, 1.62, 1.58, 1.7], true, "missed"],
    ["above it but for one lucky round", [1.6, 1.62, 1.2, 1.58, 1.7], true, "missed"],
    ["on both sides, mostly below", [1.35, 1.42, 1.48, 1.52, 1.61], false, "met"],
    ["on both sides, mostly above", [1.42, 1.48, 1.52, 1.61, 1.7], false, "undecided"],
    ["no numbers", [Number.NaN, Number.NaN], true, "missed"],
  ])("that are %s", (_what, samples, clear, verdict) => {
    expect(isClear(samples, bar)).toBe(clear);
    expect(judge([aGate], measured(samples))[0]?.verdict).toBe(verdict);
  });

  it("are judged alike where a rate must be reached", () => {
    expect(isClear([48, 49, 50, 51], { atLeast: 48.3 })).toBe(true);
    expect(isClear([48, 48.1, 50, 51], { atLeast: 48.3 })).toBe(false);
    expect(isClear([40, 41, 42, 51], { atLeast: 48.3 })).toBe(true);
  });

  it("pass as neither met nor missed where they do not settle it, and say so", () => {
    const judgements = judge([aGate], measured([1.42, 1.48, 1.52, 1.61, 1.7]));
    expect(isPassed(judgements)).toBe(true);
    expect(describeJudgements(judgements)[0]).toMatch(/^– .*undecided: measure again/);
  });

  it("are in the line of their gate", () => {
    expect(describeJudgements(judge([aGate], measured([1.3, 1.4, 1.5])))).toEqual([
      "✓ CPU of an isolate hit  1.40 x  (middle half of 3 rounds: 1.35 to 1.45)  at most 1.50 x  met",
    ]);
  });
});

describe("a question of the analytics", () => {
  const aTiming = { name: "totals", barMs: 300, status: 200, tookMs: [100, 200, 301], cpuMs: null };
  const held = { statistic: "p95", source: "" } as const;
  const verdictOf = (difference: Partial<typeof aTiming>) => {
    const { figures, gates = [] } = toReport([{ ...aTiming, ...difference }], held);
    return judge(gates, figures)[0]?.verdict;
  };

  it("has its p95 in milliseconds, whatever its bar", () => {
    expect(toReport([{ ...aTiming, barMs: 1_500, tookMs: [600, 600] }], held).figures).toEqual([
      { name: "analytics.p95: totals", value: 600, unit: "ms" },
      { name: "analytics.median: totals", value: 600, unit: "ms" },
    ]);
  });

  it("is held to its own bar", () => {
    expect(verdictOf({ tookMs: [299, 300] })).toBe("met");
    expect(verdictOf({ tookMs: [301, 301] })).toBe("missed");
    expect(verdictOf({ tookMs: [301, 301], barMs: 1_500 })).toBe("met");
  });

  it("is held by its median where that is asked", () => {
    const { figures, gates = [] } = toReport([aTiming], { ...held, statistic: "median" });
    expect(judge(gates, figures)[0]?.measured).toBe(200);
  });

  it("fails when it was refused", () => {
    expect(verdictOf({ status: 422, tookMs: [] })).toBe("not measured");
  });
});

it.each([
  [undefined, "load-tests/results/2026-11-21-bench.json"],
  ["ingest", "load-tests/results/2026-11-21-bench-ingest.json"],
])("records the day's figures of %s in a file of their own", (only, path) => {
  expect(toResultFile("2026-11-21T04:17:38.123Z", only)).toBe(path);
});
