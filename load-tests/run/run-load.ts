/** The steps of `pnpm load`, in order, and the way back, in reverse, whatever happens. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describeError } from "@hopline/local/console/failure";
import type { Progress } from "@hopline/local/console/progress";

import { parseDurationSeconds } from "../script/settings.ts";
import { formatNumber } from "./axis.ts";
import { readClickFlow } from "./click-flow.ts";
import { createCpuMeter } from "./cpu-meter.ts";
import { findK6, type K6 } from "./find-k6.ts";
import { type Imported, importLinks } from "./import-links.ts";
import { type CounterSample, type K6Run, runK6 } from "./k6-process.ts";
import { statisticOf } from "./k6-summary.ts";
import type { LoadPlan } from "./load-plan.ts";
import { type LoadResult, toLoadResult } from "./load-result.ts";
import { type Ending, type LoadStack, startConstantWorker, startLoadStack } from "./load-stack.ts";
import { describeMachine } from "./machine.ts";
import { renderReport } from "./report-page.ts";
import { type CpuSample, SAMPLED_COUNTERS, toRunSeries } from "./run-series.ts";
import { SCRIPT_DEFAULTS } from "../script/script-defaults.ts";
import { settleClicks } from "./settle-clicks.ts";
import { describeResult } from "./summary-text.ts";
import { judgeRun } from "./verdict.ts";

/** Ramps, graceful stops and k6's own start, on top of the steady phase. */
const K6_EXTRA_MS = 180_000;
const TELL_EVERY_SECONDS = 10;
/** The constant Worker leads everywhere from everywhere. */
const CONSTANT_LOCATION = "https://example.com/landing";

export type LoadOptions = {
  readonly plan: LoadPlan;
  readonly command: string;
  readonly progress: Progress;
  /** Aborted by Ctrl-C, SIGTERM or the end of the terminal. */
  readonly signal: AbortSignal;
};

/** Resolves to whether the run held. Rejects with a `Failure` when it could not be made. */
export async function runLoad(options: LoadOptions): Promise<boolean> {
  const { progress, signal } = options;
  const endings: Ending[] = [];
  try {
    return await runSteps(options, endings);
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
    progress.line("Stopped before its end: no verdict.");
    return false;
  } finally {
    for (const end of endings.toReversed()) {
      await end().catch((error: unknown) => progress.line(`  ${describeError(error)}`));
    }
  }
}

async function runSteps(options: LoadOptions, endings: Ending[]): Promise<boolean> {
  const { plan, progress, signal } = options;
  const machine = describeMachine();
  const k6 = await findK6();
  const onLog = createLogFilter(progress);
  const stackOptions = { progress, signal, endings, onLog };
  const isConstant = plan.target === "constant";
  const stack = isConstant ? null : await startLoadStack(stackOptions);
  const baseUrl = stack === null ? await startConstantWorker(stackOptions) : stack.baseUrl;
  signal.throwIfAborted();
  const imported = stack === null ? null : await prepareLinks(stack, options);
  const startedAt = new Date().toISOString();
  const { run, cpu } = await drive(options, k6, { baseUrl, apiKey: stack?.apiKey ?? null });
  const redirects = statisticOf(run.summary, "redirects", "count");
  const stored =
    stack === null
      ? null
      : await progress.step("Clicks settled", () => settleClicks(stack, redirects, signal));
  const flow = stack === null ? [] : await readClickFlow(stack.database);
  const verdict = judgeRun(run.summary, redirects, stored);
  const { command } = options;
  const steadySeconds = SCRIPT_DEFAULTS[plan.script].steadySeconds ?? durationSecondsOf(plan);
  const versions = listVersions(k6, stack);
  const parts = {
    startedAt,
    command,
    plan,
    steadySeconds,
    summary: run.summary,
    verdict,
    stored,
    machine,
    cpu,
    versions,
    imported,
  };
  const result = toLoadResult(parts);
  await tell(options, result, () => renderReport(result, toRunSeries(run.samples, flow, cpu)));
  return verdict.isOk;
}

async function prepareLinks(stack: LoadStack, { plan, progress, signal }: LoadOptions): Promise<Imported> {
  const { linkCount } = plan;
  return progress.step(`${formatNumber(linkCount)} links through the API`, () =>
    importLinks({ ...stack, linkCount, signal }),
  );
}

type Target = { readonly baseUrl: string; readonly apiKey: string | null };

async function drive(
  { plan, progress, signal }: LoadOptions,
  k6: K6,
  { baseUrl, apiKey }: Target,
): Promise<{ readonly run: K6Run; readonly cpu: readonly CpuSample[] }> {
  const cpu: CpuSample[] = [];
  const meter = createCpuMeter();
  let told = 0;
  let before: CounterSample | null = null;
  const onSample = (sample: CounterSample): void => {
    cpu.push({ atMs: sample.atMs, ...meter.read() });
    told += 1;
    if (told % TELL_EVERY_SECONDS === 0) {
      const rate =
        before === null
          ? 0
          : (((sample.counts["http_reqs"] ?? 0) - (before.counts["http_reqs"] ?? 0)) * 1_000) /
            (sample.atMs - before.atMs);
      progress.line(`    ${String(told).padStart(4)} s  ${formatNumber(rate).padStart(7)} answers/s`);
    }
    before = sample;
  };
  const run = await progress.step(`k6 ${plan.script}.ts`, () =>
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
        ...(apiKey === null ? { CONSTANT_LOCATION } : { API_KEY: apiKey }),
      },
      counters: SAMPLED_COUNTERS,
      signal,
      timeoutMs: durationSecondsOf(plan) * 1_000 + K6_EXTRA_MS,
      onSample,
    }),
  );
  return { run, cpu };
}

function durationSecondsOf({ duration, script }: LoadPlan): number {
  return parseDurationSeconds(duration ?? SCRIPT_DEFAULTS[script].duration);
}

async function tell(options: LoadOptions, result: LoadResult, render: () => string): Promise<void> {
  const { plan, progress } = options;
  describeResult(result).forEach((line) => progress.line(line));
  if (plan.jsonPath !== null) {
    await writeFile(plan.jsonPath, `${JSON.stringify(result, null, 2)}\n`);
    progress.line(`  Result: ${plan.jsonPath}`);
  }
  if (plan.htmlPath !== null) {
    await writeFile(plan.htmlPath, render());
    progress.line(`  Report: ${plan.htmlPath}`);
  }
}

/** A line for each batch would be thousands; what went wrong is told, the first few times. */
function createLogFilter(progress: Progress) {
  const MAX_LINES = 20;
  let lines = 0;
  return ({ message }: { readonly level: string; readonly message: string }): void => {
    if (/"event":"(batch\.inserted|spill\.drained)"/.test(message) || lines >= MAX_LINES) {
      return;
    }
    lines += 1;
    progress.line(`    ${message.slice(0, 300)}`);
  };
}

function listVersions(k6: K6, stack: LoadStack | null): { readonly [name: string]: string } {
  return {
    k6: k6.version,
    node: process.versions.node,
    ...(stack === null ? {} : { database: stack.databaseLabel }),
  };
}
