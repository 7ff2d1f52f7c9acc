/** The redirect bench: the producer's bundle in workerd against a Worker that answers a constant 302. */
import { createRandom } from "../../../edge-cache/test/workloads.ts";
import { createCpuMeter } from "../cpu-meter.ts";
import type { Section, SectionOptions, SectionReport } from "../section.ts";
import { startLoadProcess } from "./load-process.ts";
import { isEnough, MEASURED, toReport } from "./redirect-report.ts";
import { exactly, runRounds } from "./run-rounds.ts";
import { checkTarget } from "./running-target.ts";
import { requireProc, startTargets } from "./start-targets.ts";
import { CONSTANT } from "./targets.ts";

/** Enough where the machine is quiet; where it is not, rounds are added until the gates are clear. */
const MIN_ROUNDS = 6;
const MAX_ROUNDS = 18;
/**
 * V8 compiles what is asked for often a second and a third time: most of an isolate hit for the third time within 17,000 to
 * 30,000 requests, the last of it after 40,000 (`--trace-opt`, workerd 1.20261102). To wait for that takes too long.
 */
const WARM_UP_REQUESTS = 20_000;
const SLICES_PER_ROUND = 2;
const REQUESTS_PER_SLICE = 2_500;
const CONNECTIONS = 32;
/** Any number; the same one gives the same order of targets. */
const SEED = 20_261_121;

export const redirectSection: Section = {
  title: `Redirect: whole-process CPU of workerd, ${CONNECTIONS} connections in a closed loop`,
  run: runRedirect,
};

async function runRedirect({ rounds: chosen }: SectionOptions): Promise<SectionReport> {
  requireProc();
  const [constant, ...targets] = await startTargets([CONSTANT, ...MEASURED]);
  if (constant === undefined) {
    throw new Error("invariant: the constant Worker is the first target");
  }
  const load = startLoadProcess();
  try {
    for (const running of [constant, ...targets]) {
      await checkTarget(running);
    }
    const meter = createCpuMeter();
    const rounds = await runRounds(constant, targets, {
      length: chosen === null ? { min: MIN_ROUNDS, max: MAX_ROUNDS, isEnough } : exactly(chosen),
      warmUpRequests: WARM_UP_REQUESTS,
      slicesPerRound: SLICES_PER_ROUND,
      requestsPerSlice: REQUESTS_PER_SLICE,
      connections: CONNECTIONS,
      random: createRandom(SEED),
      load,
    });
    const { busy, ours } = meter.read();
    return toReport(rounds, {
      requestsPerRound: SLICES_PER_ROUND * REQUESTS_PER_SLICE,
      othersShare: busy - (ours ?? busy),
    });
  } finally {
    load.stop();
    for (const { workerd } of [constant, ...targets]) {
      workerd.stop();
    }
  }
}
