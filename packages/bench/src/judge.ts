/** Compares figures with the gates, and says when they are known well enough for that. Pure. */
import type { Bar, Gate } from "./gates.ts";
import type { Figure, Unmeasured } from "./section.ts";
import { percentile } from "./statistics.ts";
import { formatTable } from "./table.ts";

export type Judgement = {
  readonly gate: Gate;
  /**
   * `undecided`: the median misses the bar, and the middle half of the rounds lies on both sides of it. `missing`: the section
   * ran and neither measured the figure nor said why not, which is a fault of the bench.
   */
  readonly verdict: "met" | "undecided" | "missed" | "not measured" | "missing";
  readonly measured: number | null;
  /** One for each round, where the figure is their median; empty for a figure of one piece. */
  readonly samples: readonly number[];
  /** Why there is no figure. */
  readonly why: string | null;
};

/**
 * One judgement for each gate, in the gates' order. A figure that is not a number misses its bar. A reason why a figure
 * could not be had also stands against a miss: then it says why the figure tells nothing of the code.
 */
export function judge(
  gates: readonly Gate[],
  figures: readonly Figure[],
  unmeasured: readonly Unmeasured[],
): readonly Judgement[] {
  return gates.map((gate) => {
    const figure = figures.find(({ name }) => name === gate.figure);
    const why = unmeasured.find(({ name }) => name === gate.figure)?.why ?? null;
    const measured = figure?.value ?? null;
    const samples = figure?.samples ?? [];
    if (measured !== null && isWithin(gate.bar, measured)) {
      return { gate, verdict: "met", measured, samples, why: null };
    }
    if (why !== null) {
      return { gate, verdict: "not measured", measured, samples, why };
    }
    if (measured === null) {
      return { gate, verdict: "missing", measured, samples, why };
    }
    return isClear(samples, gate.bar)
      ? { gate, verdict: "missed", measured, samples, why }
      : { gate, verdict: "undecided", measured, samples, why: MEASURE_AGAIN };
  });
}

const MEASURE_AGAIN = "the rounds lie on both sides of the bar; measure on a quiet machine";

/**
 * Whether the middle half of the rounds lies on one side of the bar, whichever it is. Where it does not, the median could
 * be on the other side by chance, and more rounds are worth their time: more data about the same code, not another try.
 */
export function isClear(samples: readonly number[], bar: Bar): boolean {
  if (samples.length < 2) {
    return true;
  }
  return isWithin(bar, percentile(samples, 25)) === isWithin(bar, percentile(samples, 75));
}

/**
 * True where nothing is clearly missed. What could not be measured, or not well enough to tell, is no miss: its line says
 * so, and it is not called met either.
 */
export function isPassed(judgements: readonly Judgement[]): boolean {
  return judgements.every(({ verdict }) => verdict !== "missed" && verdict !== "missing");
}

/** One line for each gate: what, measured, bar, verdict. */
export function describeJudgements(judgements: readonly Judgement[]): readonly string[] {
  const rows = formatTable(
    judgements.map(({ gate, verdict, measured, samples }) => [
      `${MARKS[verdict]} ${gate.title}`,
      measured === null ? "" : formatValue(measured, gate.unit),
      describeMiddleHalf(samples),
      describeBar(gate),
    ]),
  );
  return judgements.map(({ verdict, why }, index) =>
    [rows[index], why === null ? verdict : `${verdict}: ${why}`].join("  "),
  );
}

const MARKS = { met: "✓", undecided: "–", "not measured": "–", missed: "✗", missing: "✗" } as const;

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

function describeBar({ bar, unit }: Gate): string {
  return "atMost" in bar
    ? `at most ${formatValue(bar.atMost, unit)}`
    : `at least ${formatValue(bar.atLeast, unit)}`;
}

function formatValue(value: number, unit: Gate["unit"]): string {
  const digits = Math.abs(value) >= 1_000 ? 0 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}
