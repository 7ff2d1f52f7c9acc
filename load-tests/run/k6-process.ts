/**
 * Runs one k6 script to its end and reads k6's counters each second meanwhile, over its REST API: k6's own time series
 * outputs cost more CPU at thousands of requests a second than the requests.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { Failure } from "@hopline/testkit/console/failure";
import { findFreePort } from "@hopline/testkit/postgres/free-port";

import type { K6 } from "./find-k6.ts";
import { decodeSummary, type K6Summary } from "./k6-summary.ts";

const SAMPLE_EVERY_MS = 1_000;
const READ_TIMEOUT_MS = 900;
/** Checks or thresholds failed: the test ran, and its verdict is no. */
const EXIT_THRESHOLDS = 99;
/** How long k6 may take to end after it was asked to. */
const KILL_AFTER_MS = 20_000;
const KEPT_OUTPUT_CHARACTERS = 4_000;

/** Totals since the start, at one moment. A counter that was not touched yet is 0. */
export type CounterSample = { readonly atMs: number; readonly counts: { readonly [name: string]: number } };

export type K6RunOptions = {
  readonly k6: K6;
  readonly scriptPath: string;
  /** For the script, as `__ENV`: secrets too, which a command line would show. */
  readonly environment: { readonly [name: string]: string };
  readonly counters: readonly string[];
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onSample: (sample: CounterSample) => void;
};

export type K6Run = { readonly summary: K6Summary; readonly samples: readonly CounterSample[] };

/** Rejects with a `Failure` when k6 broke or ran over its time; a test that failed its bars resolves. */
export async function runK6(options: K6RunOptions): Promise<K6Run> {
  const directory = await mkdtemp(join(tmpdir(), "hopline-k6-"));
  try {
    const summaryPath = join(directory, "summary.json");
    const address = `127.0.0.1:${await findFreePort()}`;
    const ended = new AbortController();
    const sampling = sampleCounters(address, options, ended.signal);
    const { exitCode, output } = await runProcess(options, address, summaryPath).finally(() => ended.abort());
    const samples = await sampling;
    options.signal.throwIfAborted();
    if (exitCode !== 0 && exitCode !== EXIT_THRESHOLDS) {
      throw new Failure(`k6 ended with code ${exitCode}: ${output.trim().split("\n").slice(-5).join(" ")}`);
    }
    return { summary: decodeSummary(await readFile(summaryPath, "utf8")), samples };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runProcess(options: K6RunOptions, address: string, summaryPath: string) {
  const child = spawn(
    options.k6.path,
    [
      "run",
      "--quiet",
      "--no-color",
      "--no-usage-report",
      `--address=${address}`,
      `--summary-export=${summaryPath}`,
      options.scriptPath,
    ],
    { env: { ...process.env, ...options.environment }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString("utf8")).slice(-KEPT_OUTPUT_CHARACTERS);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  let killTimer: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill("SIGINT");
    killTimer = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
  };
  const overTime = setTimeout(end, options.timeoutMs);
  options.signal.addEventListener("abort", end, { once: true });
  try {
    return await new Promise<{ exitCode: number; output: string }>((resolve, reject) => {
      child.once("error", (cause) => reject(new Failure(`k6 did not start: ${cause.message}`, { cause })));
      child.once("close", (code) => resolve({ exitCode: code ?? 1, output }));
    });
  } finally {
    clearTimeout(overTime);
    clearTimeout(killTimer);
    options.signal.removeEventListener("abort", end);
  }
}

async function sampleCounters(
  address: string,
  { counters, onSample }: K6RunOptions,
  ended: AbortSignal,
): Promise<readonly CounterSample[]> {
  const samples: CounterSample[] = [];
  while (!ended.aborted) {
    await delay(SAMPLE_EVERY_MS - (Date.now() % SAMPLE_EVERY_MS), null, { signal: ended }).catch(() => null);
    const atMs = Date.now();
    const values = await Promise.all(counters.map((name) => readCounter(address, name))).catch(() => null);
    // Null: k6 does not listen yet, or no longer.
    if (values !== null) {
      const counts = Object.fromEntries(counters.map((name, index) => [name, values[index] ?? 0]));
      samples.push({ atMs, counts });
      onSample({ atMs, counts });
    }
  }
  return samples;
}

/** 0 where k6 has not seen the metric yet. Rejects where k6 does not answer. */
async function readCounter(address: string, name: string): Promise<number> {
  const response = await fetch(`http://${address}/v1/metrics/${name}`, {
    signal: AbortSignal.timeout(READ_TIMEOUT_MS),
  });
  const body: unknown = await response.json();
  const count = response.ok ? at(body, ["data", "attributes", "sample", "count"]) : 0;
  return typeof count === "number" ? count : 0;
}

function at(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    const fields: { readonly [field: string]: unknown } =
      typeof current === "object" && current !== null ? { ...current } : {};
    current = fields[name];
  }
  return current;
}
