/**
 * Finds the highest rate that holds, of Hopline and then of the constant Worker, with the same script on the same machine:
 * short runs find it, a whole one confirms it. Where the whole run does not hold, a rate a tenth lower is tried.
 */
import { formatNumber } from "./format-number.ts";
import type { RunPlan, TargetName } from "./run-plan.ts";
import { measureRun, type RunContext, type RunTarget } from "./measure-run.ts";
import { highestHeld, nextRate, stepDown } from "./rate-search.ts";
import {
  type FoundRate,
  type ProbeResult,
  toProbeResult,
  toSearchResult,
  type SearchResult,
} from "./search-result.ts";

const DEFAULT_FROM = 1_000;
/** More than k6 and workerd can do together on any machine of today. */
const MOST = 100_000;
const TOLERANCE = 0.05;
/** Short, but long enough for held links to become stale (30 s) within two runs, and for the queues to fill. */
const PROBE = { duration: "15s", rampSeconds: 5 };
const CONFIRMED_DURATION = "60s";
const MAX_CONFIRMATIONS = 3;

export async function searchRates(
  context: RunContext,
  plan: RunPlan,
  targets: Readonly<Record<TargetName, RunTarget>>,
): Promise<SearchResult> {
  const startedAt = new Date().toISOString();
  const hopline = await findHighest(context, targets.hopline, { ...plan, target: "hopline" });
  // A Worker that resolves nothing is hardly slower: its search begins where the first one ended.
  const rate = highestHeld(hopline.probes) ?? plan.rate;
  const constant = await findHighest(context, targets.constant, { ...plan, target: "constant", rate });
  const { command, machine } = context.circumstances;
  return toSearchResult({ startedAt, command, machine, linkCount: plan.linkCount, hopline, constant });
}

async function findHighest(context: RunContext, target: RunTarget, plan: RunPlan): Promise<FoundRate> {
  const probes: ProbeResult[] = [];
  const bounds = { from: plan.rate ?? DEFAULT_FROM, most: MOST, tolerance: TOLERANCE };
  for (let rate = nextRate(probes, bounds); rate !== null; rate = nextRate(probes, bounds)) {
    const result = await measureRun(context, target, { ...plan, ...PROBE, rate });
    probes.push(tell(context, toProbeResult(rate, result)));
  }
  const found = highestHeld(probes);
  return found === null
    ? { probes, highest: null, refuted: [] }
    : { probes, ...(await confirm(context, target, { ...plan, rate: found })) };
}

/** A whole run at the rate that was found; a tenth less while that does not hold. */
async function confirm(
  context: RunContext,
  target: RunTarget,
  plan: RunPlan & { readonly rate: number },
): Promise<Pick<FoundRate, "highest" | "refuted">> {
  const refuted: ProbeResult[] = [];
  const duration = plan.duration ?? CONFIRMED_DURATION;
  for (let { rate } = plan; refuted.length < MAX_CONFIRMATIONS; rate = stepDown(rate)) {
    const result = await measureRun(context, target, { ...plan, duration, rate });
    const probe = tell(context, toProbeResult(rate, result));
    if (probe.isHeld) {
      return { highest: result, refuted };
    }
    refuted.push(probe);
  }
  return { highest: null, refuted };
}

function tell({ progress, signal }: RunContext, probe: ProbeResult): ProbeResult {
  signal.throwIfAborted();
  progress.line(`  ${probe.isHeld ? "held" : "broke"} at ${formatNumber(probe.rate)}/s: ${probe.detail}`);
  return probe;
}
