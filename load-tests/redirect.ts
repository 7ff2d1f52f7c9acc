/**
 * The main load test: links that were imported and never visited, at the whole rate from the first second, from one network,
 * every answer checked for status and exact Location. The first 10 seconds have a bar of their own. SPREAD=uniform visits all
 * links alike; by default a fifth of them takes four fifths of the requests. With WARM=1: 20 seconds from nothing to the rate,
 * for links that are in KV already. The exit code is the verdict.
 *
 *   k6 run -e BASE_URL=https://go.example.com -e RATE=500 load-tests/redirect.ts
 *
 * The links have to exist: `pnpm load` imports them, or see load-tests/README.md.
 */
import { firstThenSteady, rampThenSteady, toOptions } from "./script/phases.ts";
import { SCRIPT_DEFAULTS } from "./script/script-defaults.ts";
import { readSettings } from "./script/settings.ts";
import { pickAnyLink, pickLink } from "./script/targets.ts";
import { createVisits } from "./script/visit.ts";

const settings = readSettings(__ENV, SCRIPT_DEFAULTS.redirect);
const visits = createVisits(settings, settings.isWarm ? undefined : 1);
const pick = settings.isUniform ? pickAnyLink : pickLink;

export const options = toOptions({
  settings,
  environment: __ENV,
  scriptName: "redirect",
  ...(settings.isWarm ? { scenarios: rampThenSteady(settings) } : firstThenSteady(settings)),
});

export default function redirect(): void {
  visits.visitLink(pick(settings.linkCount, Math.random));
}
