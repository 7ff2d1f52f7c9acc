/**
 * The phases of the load tests and the bars that decide their exit code. Arrival rates throughout: a slow answer must not
 * slow the visitors down, or the test would hide what it is meant to find.
 */
import type { Options, Scenario } from "k6/options";
import { readCloudOptions, zoneThresholds } from "./load-zones.ts";
import { FIRST_PHASE } from "./script-defaults.ts";
import type { Environment, Settings } from "./settings.ts";

/** Requests in flight at the end of a phase are waited for: a 302 that k6 did not count would be a click too many. */
const GRACEFUL_STOP = "15s";

/** Of the planned requests of a phase, at least this share is sent: k6 drops one when no VU is free for it. */
const MIN_SENT_SHARE = 0.99;

/**
 * VUs are made before the start: made during it, they take the CPU that is being measured. Enough for a pause of 200 ms:
 * a request without a free VU is dropped, and what paused may have been k6 itself.
 */
export function countVus(rate: number): number {
  return Math.min(1_000, Math.max(100, Math.ceil(rate / 5)));
}

/** From nothing to the target rate, then steady. */
export function rampThenSteady({ rate, duration, rampSeconds }: Settings): {
  readonly [name: string]: Scenario;
} {
  return {
    ramp: {
      executor: "ramping-arrival-rate",
      startRate: 0,
      timeUnit: "1s",
      stages: [{ target: rate, duration: `${rampSeconds}s` }],
      preAllocatedVUs: countVus(rate),
      gracefulStop: GRACEFUL_STOP,
    },
    steady: steady(rate, duration, rampSeconds),
  };
}

/** The whole rate from the start, with a bar of its own for the first seconds. */
export function firstThenSteady({ rate, duration }: Settings) {
  const { seconds, p95Ms } = FIRST_PHASE;
  return {
    scenarios: { first: steady(rate, `${seconds}s`), steady: steady(rate, duration, seconds) },
    thresholds: {
      "http_req_duration{scenario:first}": [`p(95)<${p95Ms}`],
      "iterations{scenario:first}": [atItsRate(rate, seconds)],
    },
  };
}

/** The same rate from `startSeconds` on. */
export function steady(rate: number, duration: string, startSeconds = 0): Scenario {
  return {
    executor: "constant-arrival-rate",
    rate,
    timeUnit: "1s",
    duration,
    startTime: `${startSeconds}s`,
    preAllocatedVUs: countVus(rate),
    gracefulStop: GRACEFUL_STOP,
  };
}

export type OptionsParts = {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly scriptName: string;
  readonly scenarios: { readonly [name: string]: Scenario };
  /** Bars on top of the ones that every script has. */
  readonly thresholds?: { readonly [metric: string]: string[] };
};

/** The bar for a phase that should send `rate` requests a second: it sent 99 in 100. */
export function atItsRate(rate: number, seconds: number): string {
  return `count>=${Math.floor(rate * seconds * MIN_SENT_SHARE)}`;
}

/** Every check true; the steady phase fast and at its rate. */
export function toOptions(parts: OptionsParts): Options {
  const { settings, environment, scriptName, scenarios, thresholds } = parts;
  const cloud = readCloudOptions(environment, scriptName);
  return {
    discardResponseBodies: true,
    setupTimeout: "180s",
    scenarios: { ...scenarios },
    // Without `url` and `name`: 20,000 addresses would be 20,000 time series. `group` is where k6 files its checks.
    systemTags: ["group", "status", "method", "scenario", "check", "error_code", "expected_response"],
    summaryTrendStats: ["avg", "med", "p(90)", "p(95)", "p(99)", "p(99.9)", "max", "count"],
    thresholds: {
      checks: ["rate==1"],
      "http_req_duration{scenario:steady}": [
        `p(95)<${settings.p95Ms}`,
        `p(99)<${settings.p99Ms}`,
        `p(99.9)<${settings.p999Ms}`,
      ],
      "iterations{scenario:steady}": [atItsRate(settings.rate, settings.durationSeconds)],
      ...thresholds,
      ...zoneThresholds(cloud, settings),
    },
    cloud,
  };
}
