import { describe, expect, it } from "vitest";

import { EVERYDAY_SECTIONS, GATES, type Gate } from "../src/gates.ts";
import { describeJudgements, isClear, isPassed, judge } from "../src/judge.ts";
import { median } from "../src/statistics.ts";

const aGate: Gate = {
  section: "redirect",
  figure: "redirect.isolate-hit.cpu-ratio",
  title: "CPU of an isolate hit",
  unit: "x",
  bar: { atMost: 1.5 },
  source: "the design",
};
const measured = (value: number) => [{ name: aGate.figure, value, unit: aGate.unit }];

describe("a gate of the bench", () => {
  it.each([
    { bar: { atMost: 1.5 }, value: 1.5, verdict: "met" },
    { bar: { atMost: 1.5 }, value: 1.501, verdict: "missed" },
    { bar: { atLeast: 48.3 }, value: 48.3, verdict: "met" },
    { bar: { atLeast: 48.3 }, value: 48.2, verdict: "missed" },
    { bar: { atMost: 1.5 }, value: Number.NaN, verdict: "missed" },
  ] as const)("with bar $bar calls $value $verdict", ({ bar, value, verdict }) => {
    const judgements = judge([{ ...aGate, bar }], measured(value), []);
    expect(judgements[0]?.verdict).toBe(verdict);
    expect(isPassed(judgements)).toBe(verdict === "met");
  });

  it("passes with its reason in its line where it can't be measured yet", () => {
    const judgements = judge([aGate], [], [{ name: aGate.figure, why: "there is nothing to measure" }]);
    expect(isPassed(judgements)).toBe(true);
    expect(describeJudgements(judgements)).toEqual([
      "– CPU of an isolate hit      at most 1.50 x  not measured: there is nothing to measure",
    ]);
  });

  it("is not held against the code where its section says why the figure tells nothing of it", () => {
    const why = "one KV read alone takes 2.60 x";
    const missed = judge([aGate], measured(1.7), [{ name: aGate.figure, why }]);
    expect(missed).toMatchObject([{ verdict: "not measured", measured: 1.7, why }]);
    expect(judge([aGate], measured(1.4), [{ name: aGate.figure, why }])).toMatchObject([{ verdict: "met" }]);
    expect(isPassed(judge([aGate], measured(1.7), [{ name: "another", why }]))).toBe(false);
  });

  it("fails where its section forgot the figure", () => {
    expect(isPassed(judge([aGate], [], []))).toBe(false);
  });

  it("has a figure of its own", () => {
    expect(new Set(GATES.map(({ figure }) => figure)).size).toBe(GATES.length);
  });

  it("is among those that CI holds in every section that CI runs", () => {
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
    const figure = { name: aGate.figure, value: median(samples), unit: aGate.unit, samples };
    expect(judge([aGate], [figure], [])[0]?.verdict).toBe(verdict);
  });

  it("are judged alike where a rate must be reached", () => {
    expect(isClear([48, 49, 50, 51], { atLeast: 48.3 })).toBe(true);
    expect(isClear([48, 48.1, 50, 51], { atLeast: 48.3 })).toBe(false);
    expect(isClear([40, 41, 42, 51], { atLeast: 48.3 })).toBe(true);
  });

  it("are called neither met nor missed where they can't tell, and stop nobody", () => {
    const samples = [1.42, 1.48, 1.52, 1.61, 1.7];
    const judgements = judge([aGate], [{ name: aGate.figure, value: 1.52, unit: aGate.unit, samples }], []);
    expect(isPassed(judgements)).toBe(true);
    expect(describeJudgements(judgements)[0]).toMatch(/^– .*undecided: the rounds lie on both sides/);
  });

  it("stand in the line of their gate", () => {
    const samples = [1.3, 1.4, 1.5];
    const figures = [{ name: aGate.figure, value: 1.4, unit: aGate.unit, samples }];
    expect(describeJudgements(judge([aGate], figures, []))).toEqual([
      "✓ CPU of an isolate hit  1.40 x  (middle half of 3 rounds: 1.35 to 1.45)  at most 1.50 x  met",
    ]);
  });
});
