/** One run of k6 against a started target, to its verdict: drive, let every click settle, count, judge. */
import { join } from "node:path";

import type { Circumstances } from "@hopline/bench/circumstances";
import { type CpuReading, createCpuMeter } from "@hopline/bench/cpu-meter";
import type { Progress } from "@hopline/testkit/console/progress";

import { tookOf } from "../script/counters.ts";
import { SCRIPT_DEFAULTS } from "../script/script-defaults.ts";
import { parseDurationSeconds } from "../script/settings.ts";
import { formatNumber } from "./format-number.ts";
import type { Imported } from "./import-links.ts";
import { type K6Summary, statisticOf } from "./k6-summary.ts";
import { toLatency, toSpreads } from "./latency.ts";
import { type LoadResult, toLoadResult } from "./load-result.ts";
import type { LoadStack } from "./load-stack.ts";
import { type K6, runK6 } from "./run-k6.ts";
import type { RunPlan } from "./run-plan.ts";
import { countStored, settleClicks } from "./settle-clicks.ts";
import { judgeRun } from "./verdict.ts";

/** Ramps, graceful stops and k6's own start, on top of the steady phase. */
const K6_EXTRA_MS = 180_000;
/** The constant Worker leads everywhere from everywhere. */
const CONSTANT_LOCATION = "https://example.com/landing";

/** What all runs of one command share. */
export type RunContext = {
  readonly circumstances: Circumstances;
  readonly k6: K6;
  /** Where k6's report goes; `null`: nowhere. */
  readonly htmlPath: string | null;
  readonly progress: Progress;
  /** Aborted by Ctrl-C, SIGTERM or the end of the terminal. */
  readonly signal: AbortSignal;
};

/** What is under load: Hopline with its database and its links, or the constant Worker alone. */
export type RunTarget = {
  readonly baseUrl: string;
  readonly stack: LoadStack | null;
  /** `null` where the script imports, or needs no links. */
  readonly imported: Imported | null;
};

/** Resolves whether or not the run held; rejects with a `Failure` when it could not be made. */
export async function measureRun(
  context: RunContext,
  { baseUrl, stack, imported }: RunTarget,
  plan: RunPlan,
): Promise<LoadResult> {
  const { progress, signal, k6 } = context;
  const { date: _date, versions, ...circumstances } = context.circumstances;
  const before = stack === null ? null : await countStored(stack.database);
  const statementsBefore = stack?.countStatements() ?? 0;
  const startedAt = new Date().toISOString();
  const endJobs = plan.isTail ? stack?.keepWorking() : undefined;
  const { summary, cpuOfOthers } = await drive(context, plan, {
    baseUrl,
    apiKey: stack?.apiKey ?? null,
    yardstickUrl: plan.isTail ? (stack?.constantUrl ?? null) : null,
  });
  endJobs?.();
  const statements = (stack?.countStatements() ?? 0) - statementsBefore;
  const redirects = statisticOf(summary, "redirects", "count");
  const stored =
    stack === null
      ? null
      : await progress.step("Clicks settled", () =>
          settleClicks({ ...stack, before, expected: redirects, signal }),
        );
  return toLoadResult({
    ...circumstances,
    versions: {
      ...versions,
      k6: k6.version,
      ...(stack === null ? {} : { database: stack.databaseLabel }),
    },
    startedAt,
    environment: null,
    plan,
    mainSeconds: mainSecondsOf(plan),
    summary,
    verdict: judgeRun(summary, {
      redirects,
      stored,
      database: plan.isPublishingPaused
        ? { statements, lookUps: statisticOf(summary, tookOf("db"), "count") }
        : null,
      tail: plan.isTail
        ? { latency: toLatency(summary, "http_req_duration{scenario:steady}"), spreads: toSpreads(summary) }
        : null,
    }),
    imported,
    statements,
    stored,
    cpuOfOthers,
  });
}

type Address = {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly yardstickUrl: string | null;
};

/** Of 20,000 links that only the database knows, 99 of 100 answers; after the first seconds. */
const COLD_P99_MS = 100;

async function drive(
  { k6, progress, signal, htmlPath }: RunContext,
  plan: RunPlan,
  { baseUrl, apiKey, yardstickUrl }: Address,
): Promise<{ readonly summary: K6Summary; readonly cpuOfOthers: number | null }> {
  const readings: CpuReading[] = [];
  const meter = createCpuMeter();
  const atRate = plan.rate === null ? "" : ` at ${formatNumber(plan.rate)}/s`;
  const summary = await progress.step(`k6 ${plan.script}.ts${atRate}`, (report) =>
    runK6({
      k6,
      scriptPath: join(import.meta.dirname, `../${plan.script}.ts`),
      environment: {
        BASE_URL: baseUrl,
        LINKS: String(plan.linkCount),
        LOCAL_EDGE: "1",
        SPREAD: plan.spread,
        ...(plan.isCold ? { IMPORT: "1" } : { WARM: "1" }),
        ...(plan.rate === null ? {} : { RATE: String(plan.rate) }),
        ...(plan.duration === null ? {} : { DURATION: plan.duration }),
        ...(plan.rampSeconds === null ? {} : { RAMP: `${plan.rampSeconds}s` }),
        ...(apiKey === null ? { CONSTANT_LOCATION } : { API_KEY: apiKey }),
        ...(plan.isPublishingPaused ? { P99_MS: String(COLD_P99_MS) } : {}),
        ...(yardstickUrl === null ? {} : { YARDSTICK_URL: yardstickUrl }),
      },
      htmlPath,
      signal,
      timeoutMs: durationSecondsOf(plan) * 1_000 + K6_EXTRA_MS,
      onStatus: (line) => {
        readings.push(meter.read());
        report(line);
      },
    }),
  );
  const others = readings.flatMap(({ busy, ours }) => (ours === null ? [] : [busy - ours]));
  const mean = others.reduce((sum, share) => sum + share, 0) / others.length;
  return { summary, cpuOfOthers: others.length === 0 ? null : Number(mean.toFixed(3)) };
}

/** The second in which a burst rises sends half of what a whole one does. */
export function mainSecondsOf(plan: RunPlan): number {
  return durationSecondsOf(plan) + (plan.script === "burst" ? 0.5 : 0);
}

function durationSecondsOf({ duration, script }: RunPlan): number {
  return parseDurationSeconds(duration ?? SCRIPT_DEFAULTS[script].duration);
}
