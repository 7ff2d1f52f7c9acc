/** One run of k6 against what is started, to its verdict: drive, let every click come to rest, count, judge. */
import { join } from "node:path";

import type { Progress } from "@hopline/testkit/console/progress";

import { SCRIPT_DEFAULTS } from "../script/script-defaults.ts";
import { parseDurationSeconds } from "../script/settings.ts";
import { formatNumber } from "./axis.ts";
import { readClickFlow } from "./click-flow.ts";
import { createCpuMeter } from "@hopline/bench/cpu-meter";
import type { K6 } from "./find-k6.ts";
import type { Imported } from "./import-links.ts";
import { type CounterSample, type K6Run, runK6 } from "./k6-process.ts";
import { statisticOf } from "./k6-summary.ts";
import type { RunPlan } from "./load-plan.ts";
import { type LoadResult, toLoadResult } from "./load-result.ts";
import type { LoadStack } from "./load-stack.ts";
import type { Machine } from "./machine.ts";
import { type CpuSample, type RunSeries, SAMPLED_COUNTERS, toRunSeries } from "./run-series.ts";
import { countStored, settleClicks } from "./settle-clicks.ts";
import { judgeRun } from "./verdict.ts";

/** Ramps, graceful stops and k6's own start, on top of the steady phase. */
const K6_EXTRA_MS = 180_000;
const TELL_EVERY_SECONDS = 10;
/** The constant Worker leads everywhere from everywhere. */
const CONSTANT_LOCATION = "https://example.com/landing";

/** What all runs of one command share. */
export type RunContext = {
  readonly command: string;
  readonly machine: Machine;
  readonly k6: K6;
  readonly progress: Progress;
  /** Aborted by Ctrl-C, SIGTERM or the end of the terminal. */
  readonly signal: AbortSignal;
};

/** What is asked: Hopline with its database and its links, or the constant Worker alone. */
export type RunTarget = {
  readonly baseUrl: string;
  readonly stack: LoadStack | null;
  readonly imported: Imported | null;
};

export type MeasuredRun = { readonly result: LoadResult; readonly series: RunSeries };

/** Resolves whether or not the run held; rejects with a `Failure` when it could not be made. */
export async function measureRun(
  context: RunContext,
  { baseUrl, stack, imported }: RunTarget,
  plan: RunPlan,
): Promise<MeasuredRun> {
  const { command, machine, k6, progress, signal } = context;
  const before = stack === null ? null : await countStored(stack.database);
  const startedAt = new Date().toISOString();
  const { run, cpu } = await drive(context, plan, { baseUrl, apiKey: stack?.apiKey ?? null });
  const redirects = statisticOf(run.summary, "redirects", "count");
  const stored =
    stack === null
      ? null
      : await progress.step("Clicks settled", () =>
          settleClicks({ ...stack, before, expected: redirects, signal }),
        );
  const flow = stack === null ? [] : await readClickFlow(stack.database, startedAt);
  const result = toLoadResult({
    startedAt,
    command,
    plan,
    // The second in which a burst rises sends half of what a whole one does.
    mainSeconds: durationSecondsOf(plan) + (plan.script === "burst" ? 0.5 : 0),
    summary: run.summary,
    verdict: judgeRun(run.summary, redirects, stored),
    stored,
    machine,
    cpu,
    versions: listVersions(k6, stack),
    imported,
  });
  return { result, series: toRunSeries(run.samples, flow, cpu) };
}

type Address = { readonly baseUrl: string; readonly apiKey: string | null };

async function drive(
  { k6, progress, signal }: RunContext,
  plan: RunPlan,
  { baseUrl, apiKey }: Address,
): Promise<{ readonly run: K6Run; readonly cpu: readonly CpuSample[] }> {
  const cpu: CpuSample[] = [];
  const meter = createCpuMeter();
  const tellRate = createRateTeller(progress);
  const atRate = plan.rate === null ? "" : ` at ${formatNumber(plan.rate)}/s`;
  const run = await progress.step(`k6 ${plan.script}.ts${atRate}`, () =>
    runK6({
      k6,
      scriptPath: join(import.meta.dirname, `../${plan.script}.ts`),
      environment: {
        BASE_URL: baseUrl,
        LINKS: String(plan.linkCount),
        LOCAL_EDGE: "1",
        SERIES: "1",
        ...(plan.rate === null ? {} : { RATE: String(plan.rate) }),
        ...(plan.duration === null ? {} : { DURATION: plan.duration }),
        ...(plan.rampSeconds === null ? {} : { RAMP: `${plan.rampSeconds}s` }),
        ...(apiKey === null ? { CONSTANT_LOCATION } : { API_KEY: apiKey }),
      },
      counters: SAMPLED_COUNTERS,
      signal,
      timeoutMs: durationSecondsOf(plan) * 1_000 + K6_EXTRA_MS,
      onSample: (sample) => {
        cpu.push({ atMs: sample.atMs, ...meter.read() });
        tellRate(sample);
      },
    }),
  );
  return { run, cpu };
}

/** A line now and then while k6 runs: a minute without a word looks like a minute that hangs. */
function createRateTeller(progress: Progress): (sample: CounterSample) => void {
  let told = 0;
  let before: CounterSample | null = null;
  return (sample) => {
    told += 1;
    if (told % TELL_EVERY_SECONDS === 0 && before !== null) {
      const answers = (sample.counts["http_reqs"] ?? 0) - (before.counts["http_reqs"] ?? 0);
      const rate = (answers * 1_000) / (sample.atMs - before.atMs);
      progress.line(`    ${String(told).padStart(4)} s  ${formatNumber(rate).padStart(7)} answers/s`);
    }
    before = sample;
  };
}

function durationSecondsOf({ duration, script }: RunPlan): number {
  return parseDurationSeconds(duration ?? SCRIPT_DEFAULTS[script].duration);
}

function listVersions(k6: K6, stack: LoadStack | null): { readonly [name: string]: string } {
  return {
    k6: k6.version,
    node: process.versions.node,
    ...(stack === null ? {} : { database: stack.databaseLabel }),
  };
}
