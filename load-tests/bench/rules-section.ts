/** Time of evaluating ten rules, by the bench that lives beside the evaluator (packages/core/bench). In Node. */
import { benchRules } from "../../packages/core/bench/rules.bench.ts";
import type { Section, SectionReport } from "./section.ts";
import { formatTable } from "./table.ts";

export const rulesSection: Section = {
  title: "Rules: one evaluation with a fresh visitor, in Node",
  run: runRules,
};

const NS_PER_MICROSECOND = 1_000;

/** CPU time of this thread: what others do on the machine meanwhile does not count. */
function readThreadCpuNs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) * NS_PER_MICROSECOND;
}

async function runRules(): Promise<SectionReport> {
  const cases = benchRules(readThreadCpuNs).map(({ name, nsPerEvaluation }) => ({
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
