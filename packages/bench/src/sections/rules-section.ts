/** CPU time of evaluating ten rules, by the bench that lives beside the evaluator. In Node. */
import { benchRules, threadCpuNs } from "./rules.bench.ts";
import type { Section, SectionReport } from "../section.ts";
import { formatTable } from "../table.ts";

export const rulesSection: Section = {
  title: "Rules: CPU time of one evaluation with a fresh visitor, in Node",
  run: runRules,
};

const NS_PER_MICROSECOND = 1_000;

async function runRules(): Promise<SectionReport> {
  const cases = benchRules(threadCpuNs).map(({ name, nsPerEvaluation }) => ({
    name,
    micros: nsPerEvaluation / NS_PER_MICROSECOND,
  }));
  const slowest = Math.max(...cases.map(({ micros }) => micros));
  return {
    figures: [
      { name: "rules.ten.evaluation", value: slowest, unit: "µs" },
      ...cases.map(({ name, micros }) => ({
        name: `rules.case: ${name}`,
        value: micros,
        unit: "µs" as const,
      })),
    ],
    unmeasured: [],
    lines: formatTable(cases.map(({ name, micros }) => [name, `${micros.toFixed(2)} µs`])),
  };
}
