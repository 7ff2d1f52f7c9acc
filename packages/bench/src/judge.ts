/** Compares figures with the gates, and says when they are known well enough for that. Pure. */
import type { Bar, Gate } from "./gates.ts";
import type { Figure } from "./section.ts";
import { percentile } from "./statistics.ts";
import { formatTable } from "./table.ts";

export type Judgement = {
  readonly gate: Gate;
  /**
   * `undecided`: the median misses the bar, and the middle half of the rounds lies on both sides of it. `not measured`: the
   * section ran without an answer for this gate, which fails.
   */
  readonly verdict: "met" | "undecided" | "missed" | "not measured";
  readonly measured: number | null;
  /** One for each round, where the figure is their median; empty for a single measurement. */
  readonly samples: readonly number[];
};

/** One judgement for each gate, in the gates' order. A figure that is not a number misses its bar. */
export function judge(gates: readonly Gate[], figures: readonly Figure[]): readonly Judgement[] {
  return gates.map((gate) => {
    const figure = figures.find(({ name }) => name === gate.figure);
    if (figure === undefined) {
      return { gate, verdict: "not measured", measured: null, samples: [] };
    }
    const { value: measured, samples = [] } = figure;
    const miss = isClear(samples, gate.bar) ? "missed" : "undecided";
    return { gate, verdict: isWithin(gate.bar, measured) ? "met" : miss, measured, samples };
  });
}

/**
 * Whether the middle half of the rounds lies on one side of the bar, whichever it is. Where it does not, the median could
 * be on the other side by chance, and more rounds are worth their time: more data about the same code, not another try.
 */
export function isClear(samples: readonly number[], bar: Bar): boolean {
  return (
    samples.length < 2 || isWithin(bar, percentile(samples, 25)) === isWithin(bar, percentile(samples, 75))
  );
}

/** True where nothing is clearly missed. An undecided gate is no miss, and its line does not call it met. */
export function isPassed(judgements: readonly Judgement[]): boolean {
  return judgements.every(({ verdict }) => verdict === "met" || verdict === "undecided");
}

/** One line for each gate: what, measured, bar, verdict. */
export function describeJudgements(judgements: readonly Judgement[]): readonly string[] {
  return formatTable(
    judgements.map(({ gate, verdict, measured, samples }) => [
      `${MARKS[verdict]} ${gate.title}`,
      measured === null ? "" : formatValue(measured, gate.unit),
      describeMiddleHalf(samples),
      describeBar(gate),
      verdict === "undecided" ? "undecided: measure again on a quiet machine" : verdict,
    ]),
  );
}

const MARKS = { met: "✓", undecided: "–", "not measured": "✗", missed: "✗" } as const;

function isWithin(bar: Bar, value: number): boolean {
  return "atMost" in bar ? value <= bar.atMost : value >= bar.atLeast;
}

function describeMiddleHalf(samples: readonly number[]): string {
  if (samples.length < 2) {
    return "";
  }
  const [low, high] = [25, 75].map((percent) => percentile(samples, percent).toFixed(2));
  return `(middle half of ${samples.length} rounds: ${low} to ${high})`;
}

export function describeBar({ bar, unit }: Gate): string {
  return "atMost" in bar
    ? `at most ${formatValue(bar.atMost, unit)}`
    : `at least ${formatValue(bar.atLeast, unit)}`;
}

export function formatValue(value: number, unit: Gate["unit"]): string {
  const digits = Math.abs(value) >= 1_000 ? 0 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}
