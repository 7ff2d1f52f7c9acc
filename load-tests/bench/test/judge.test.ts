import { describe, expect, it } from "vitest";

import { GATES, type Gate } from "../gates.ts";
import { describeJudgements, isPassed, judge } from "../judge.ts";

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
      "– CPU of an isolate hit    at most 1.50 x  not measured: there is nothing to measure",
    ]);
  });

  it("fails where its section forgot the figure", () => {
    expect(isPassed(judge([aGate], [], []))).toBe(false);
  });

  it("has a figure of its own", () => {
    expect(new Set(GATES.map(({ figure }) => figure)).size).toBe(GATES.length);
  });
});
