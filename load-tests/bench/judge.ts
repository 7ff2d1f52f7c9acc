/** Compares figures with the gates. Pure. */
import type { Gate } from "./gates.ts";
import type { Figure, Unmeasured } from "./section.ts";
import { formatTable } from "./table.ts";

export type Judgement = {
  readonly gate: Gate;
  /** `missing`: the section ran and neither measured the figure nor said why not, which is a fault of the bench. */
  readonly verdict: "met" | "missed" | "not measured" | "missing";
  readonly measured: number | null;
  /** Why there is no figure. */
  readonly why: string | null;
};

/** One judgement for each gate, in the gates' order. A figure that is not a number misses its bar. */
export function judge(
  gates: readonly Gate[],
  figures: readonly Figure[],
  unmeasured: readonly Unmeasured[],
): readonly Judgement[] {
  return gates.map((gate) => {
    const figure = figures.find(({ name }) => name === gate.figure);
    if (figure !== undefined) {
      const verdict = isMet(gate, figure.value) ? "met" : "missed";
      return { gate, verdict, measured: figure.value, why: null };
    }
    const reason = unmeasured.find(({ name }) => name === gate.figure);
    return reason === undefined
      ? { gate, verdict: "missing", measured: null, why: null }
      : { gate, verdict: "not measured", measured: null, why: reason.why };
  });
}

/** True where nothing is missed; what is not measured yet, with its reason said, is no miss. */
export function isPassed(judgements: readonly Judgement[]): boolean {
  return judgements.every(({ verdict }) => verdict === "met" || verdict === "not measured");
}

/** One line for each gate: what, measured, bar, verdict. */
export function describeJudgements(judgements: readonly Judgement[]): readonly string[] {
  const rows = formatTable(
    judgements.map(({ gate, verdict, measured }) => [
      `${MARKS[verdict]} ${gate.title}`,
      measured === null ? "" : formatValue(measured, gate.unit),
      describeBar(gate),
    ]),
  );
  return judgements.map(({ verdict, why }, index) =>
    [rows[index], why === null ? verdict : `${verdict}: ${why}`].join("  "),
  );
}

const MARKS = { met: "✓", "not measured": "–", missed: "✗", missing: "✗" } as const;

function isMet({ bar }: Gate, value: number): boolean {
  return "atMost" in bar ? value <= bar.atMost : value >= bar.atLeast;
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
