/**
 * The main load test: 20 s from nothing to the target rate, then 60 s at it; 20,000 links, of which a fifth takes four
 * fifths of the requests; every answer checked for status and exact Location. The exit code is the verdict.
 *
 *   k6 run -e BASE_URL=https://go.example.com -e RATE=500 load-tests/redirect.ts
 *
 * The links have to be there: `pnpm load` imports them, or see load-tests/README.md.
 */
import { rampThenSteady, toOptions } from "./script/phases.ts";
import { SCRIPT_DEFAULTS } from "./script/script-defaults.ts";
import { readSettings } from "./script/settings.ts";
import { pickLink } from "./script/targets.ts";
import { createVisits } from "./script/visit.ts";

const settings = readSettings(__ENV, SCRIPT_DEFAULTS.redirect);
const visits = createVisits(settings);

export const options = toOptions({
  settings,
  environment: __ENV,
  scriptName: "redirect",
  scenarios: rampThenSteady(settings),
});

export default function redirect(): void {
  visits.visitLink(pickLink(settings.linkCount, Math.random));
}
