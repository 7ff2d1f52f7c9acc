/**
 * A scanner guesses slugs: next to RATE visits of live links a second, as many of slugs that no link has, none of them twice. The
 * visits must not suffer: every answer right, and as fast as without a scan. An unknown slug is 404, or 429 where misses of
 * one network are limited; never a redirect, never a 5xx.
 */
import { check } from "k6";
import http from "k6/http";
import { steady, toOptions } from "./script/phases.ts";
import { SCRIPT_DEFAULTS } from "./script/script-defaults.ts";
import { readSettings } from "./script/settings.ts";
import { pickLink, unknownSlug } from "./script/targets.ts";
import { createVisits } from "./script/visit.ts";

const settings = readSettings(__ENV, SCRIPT_DEFAULTS.scan);
const visits = createVisits(settings);

// k6 counts a 404 as a failed request by default.
http.setResponseCallback(http.expectedStatuses(302, 404, 429));

export const options = toOptions({
  settings,
  environment: __ENV,
  scriptName: "scan",
  scenarios: {
    steady: { ...steady(settings.rate, settings.duration), exec: "visitor" },
    scan: { ...steady(settings.rate, settings.duration), exec: "scanner" },
  },
});

export function visitor(): void {
  visits.visitLink(pickLink(settings.linkCount, Math.random));
}

export function scanner(): void {
  check(visits.visitPath(unknownSlug(Math.random)), {
    "an unknown slug leads nowhere": ({ status }) => status === 404 || status === 429,
  });
}
