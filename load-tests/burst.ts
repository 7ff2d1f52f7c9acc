/**
 * A link goes viral: from nothing to ten times RATE within one second, for DURATION, then back to RATE for 10 s. No
 * answer may be wrong. One link takes half of the burst.
 */
import { atItsRate, countVus, steady, toOptions } from "./script/phases.ts";
import { SCRIPT_DEFAULTS } from "./script/script-defaults.ts";
import { readSettings } from "./script/settings.ts";
import { pickLink } from "./script/targets.ts";
import { createVisits } from "./script/visit.ts";

const BURST_FACTOR = 10;
const VIRAL_LINK = 7;
const AFTER_SECONDS = 10;

const settings = readSettings(__ENV, SCRIPT_DEFAULTS.burst);
const visits = createVisits(settings);
const burstRate = settings.rate * BURST_FACTOR;

export const options = toOptions({
  settings: { ...settings, durationSeconds: AFTER_SECONDS },
  environment: __ENV,
  scriptName: "burst",
  thresholds: {
    "iterations{scenario:burst}": [atItsRate(burstRate, settings.durationSeconds)],
    // No bar: k6 tells a phase's answer times only where a threshold names them.
    "http_req_duration{scenario:burst}": ["max>=0"],
  },
  scenarios: {
    burst: {
      executor: "ramping-arrival-rate",
      startRate: 0,
      timeUnit: "1s",
      stages: [
        { target: burstRate, duration: "1s" },
        { target: burstRate, duration: settings.duration },
      ],
      preAllocatedVUs: countVus(burstRate) * 2,
      gracefulStop: "15s",
      exec: "viral",
    },
    steady: { ...steady(settings.rate, `${AFTER_SECONDS}s`, 1 + settings.durationSeconds), exec: "usual" },
  },
});

export function viral(): void {
  visits.visitLink(Math.random() < 0.5 ? VIRAL_LINK : pickLink(settings.linkCount, Math.random));
}

export function usual(): void {
  visits.visitLink(pickLink(settings.linkCount, Math.random));
}
