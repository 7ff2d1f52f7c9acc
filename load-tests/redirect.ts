/**
 * The main load test: links that were imported and never visited, at the whole rate from the first second, from one network,
 * every answer checked for status and exact Location. The first 10 seconds have a bar of their own. SPREAD=uniform visits all
 * links alike; by default a fifth of them takes four fifths of the requests. The exit code is the verdict.
 *
 *   k6 run -e BASE_URL=https://go.example.com -e IMPORT=1 -e API_KEY=hop_… -e RATE=500 load-tests/redirect.ts
 *
 * With IMPORT=1 visits begin with the import's answer; without it the links have to exist. With WARM=1: 20 seconds from
 * nothing to the rate, for links that are in KV already.
 */
import http from "k6/http";
import { Trend } from "k6/metrics";
import { firstThenSteady, rampThenSteady, toOptions } from "./script/phases.ts";
import { SCRIPT_DEFAULTS } from "./script/script-defaults.ts";
import { readSettings } from "./script/settings.ts";
import { pickAnyLink, pickLink, toCsv } from "./script/targets.ts";
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

const importMs = new Trend("import_ms", true);

export function setup(): void {
  if (!settings.isImporting) {
    return;
  }
  const { baseUrl, host, apiKey, linkCount } = settings;
  const address = `${baseUrl}/api/v1/links/import?domain=${encodeURIComponent(host)}`;
  const { status, body, timings } = http.post(address, toCsv(linkCount), {
    headers: { Authorization: `Bearer ${apiKey ?? ""}`, "Content-Type": "text/csv" },
    responseType: "text",
    timeout: "120s",
  });
  importMs.add(timings.duration);
  if (status !== 200 || !body.includes(`"created":${linkCount},`)) {
    throw new Error(
      `The API did not import ${linkCount} links; it answered ${status}: ${body.slice(0, 200)}`,
    );
  }
}

export default function redirect(): void {
  visits.visitLink(pick(settings.linkCount, Math.random));
}
