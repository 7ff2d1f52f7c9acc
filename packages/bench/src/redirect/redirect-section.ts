/** The redirect bench: the producer's bundle in workerd, compared with Workers that do only the platform's part of its work. */
import { Failure } from "@hopline/testkit/console/failure";

import { createRandom } from "../../../edge-cache/test/workloads.ts";
import { createCpuMeter } from "../cpu-meter.ts";
import type { Section } from "../section.ts";
import { findUnclear, toReport } from "./redirect-report.ts";
import { FOR_A_VERDICT, FOR_FIGURES, runRounds } from "./run-rounds.ts";
import { checkTarget, type RunningTarget } from "./running-target.ts";
import { startTargets } from "./start-targets.ts";
import { JUDGED_TARGETS, TARGETS } from "./targets.ts";

/** Any number; the same one gives the same order of targets. */
const SEED = 20_261_121;

export const redirectSection: Section = {
  title: "Redirect: CPU of the whole workerd process",
  async run({ rounds: chosen, isOnlyJudged, say }) {
    if (process.platform !== "linux") {
      throw new Failure(
        "The redirect bench reads CPU times from /proc and needs Linux. `pnpm bench --only cache` runs anywhere.",
      );
    }
    say("starting workerd");
    const groups = isOnlyJudged ? JUDGED_TARGETS : TARGETS;
    const running = await startTargets(groups.flat());
    const find = (name: string): RunningTarget[] => running.filter(({ target }) => target.name === name);
    try {
      for (const target of running) {
        await checkTarget(target);
      }
      const meter = createCpuMeter();
      const rounds = await runRounds(
        groups.map((group) => group.flatMap(({ name }) => find(name))),
        {
          rounds: chosen,
          effort: isOnlyJudged ? FOR_A_VERDICT : FOR_FIGURES,
          unclear: findUnclear,
          random: createRandom(SEED),
          say,
        },
      );
      const { busy, ours } = meter.read();
      return toReport(rounds, busy - (ours ?? busy));
    } finally {
      for (const { workerd } of running) {
        workerd.stop();
      }
    }
  },
};
