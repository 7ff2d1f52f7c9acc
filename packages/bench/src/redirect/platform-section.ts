/** What single steps cost in workerd (platform-costs.ts): the constant Worker with a step added, minus without it. */
import { createRandom } from "../../../edge-cache/test/workloads.ts";
import type { Section, SectionOptions, SectionReport } from "../section.ts";
import { median, percentile } from "../statistics.ts";
import { formatTable } from "../table.ts";
import { startLoadProcess } from "./load-process.ts";
import { PLATFORM_STEPS, UNCHANGED } from "./platform-costs.ts";
import { exactly, meanCpuMicros, runRounds } from "./run-rounds.ts";
import { requireProc, startTargets } from "./start-targets.ts";
import { CONSTANT } from "./targets.ts";

const ROUNDS = 5;
/** A step is a line or two of JavaScript. */
const WARM_UP_REQUESTS = 5_000;
const SLICES_PER_ROUND = 3;
const REQUESTS_PER_SLICE = 2_500;
const CONNECTIONS = 32;
const SEED = 7;

export const platformSection: Section = {
  title: "Platform: CPU that one step adds to the constant Worker",
  run: runPlatform,
};

async function runPlatform({ rounds: chosen }: SectionOptions): Promise<SectionReport> {
  requireProc();
  const [constant, ...steps] = await startTargets([CONSTANT, ...PLATFORM_STEPS.map(({ target }) => target)]);
  if (constant === undefined) {
    throw new Error("invariant: the constant Worker is the first target");
  }
  const load = startLoadProcess();
  try {
    const rounds = await runRounds(constant, steps, {
      length: exactly(chosen ?? ROUNDS),
      warmUpRequests: WARM_UP_REQUESTS,
      slicesPerRound: SLICES_PER_ROUND,
      requestsPerSlice: REQUESTS_PER_SLICE,
      connections: CONNECTIONS,
      random: createRandom(SEED),
      load,
    });
    const rows = PLATFORM_STEPS.map(({ target, times }) => {
      const added = rounds.map(({ slicesByTarget }) => {
        const [own, bare] = [target.name, UNCHANGED].map((name) => slicesByTarget.get(name) ?? []);
        return (meanCpuMicros(own ?? []) - meanCpuMicros(bare ?? [])) / times;
      });
      return { target, added };
    });
    return {
      figures: rows.map(({ target, added }) => ({
        name: `platform.${target.name}.cpu`,
        value: median(added),
        unit: "µs",
      })),
      unmeasured: [],
      lines: formatTable([
        ["", "CPU µs", "(middle half)"],
        ...rows.map(({ target, added }) => [
          target.title,
          median(added).toFixed(1),
          `${percentile(added, 25).toFixed(1)} to ${percentile(added, 75).toFixed(1)}`,
        ]),
      ]),
    };
  } finally {
    load.stop();
    for (const { workerd } of [constant, ...steps]) {
      workerd.stop();
    }
  }
}
