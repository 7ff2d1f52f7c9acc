/**
 * From where a cloud run is driven: `LOAD_ZONES="amazon:us:ashburn=50,amazon:de:frankfurt=50"`. The shape is that of
 * k6's `options.cloud` (k6 1.x and 2.x; `options.ext.loadimpact` is gone in 2.0).
 */

import type { Threshold } from "k6/options";
import type { Environment } from "./settings.ts";

export type LoadZone = { readonly loadZone: string; readonly percent: number };

export type CloudOptions = {
  readonly name: string;
  readonly projectID?: number;
  readonly distribution?: { readonly [label: string]: LoadZone };
  /** From addresses that Grafana lists for the account, which a firewall can be told. */
  readonly staticIPs?: true;
};

/** A zone in which so few answers are right stops the whole run, once a minute has shown that it is no accident. */
const ABORT = { threshold: "rate>0.9", abortOnFail: true, delayAbortEval: "60s" };

const ZONE = /^([a-z]+:[a-z]{2}:[a-z][a-z0-9 -]*)=(\d{1,3})$/;

/** Reads zones with their shares in percent. Throws with what is wrong: the whole load would come from elsewhere. */
export function parseLoadZones(text: string): { readonly [label: string]: LoadZone } {
  const zones: Record<string, LoadZone> = {};
  let sum = 0;
  for (const part of text.split(",").map((piece) => piece.trim())) {
    const [, loadZone, percentText] = ZONE.exec(part) ?? [];
    if (loadZone === undefined || percentText === undefined) {
      throw new Error(`LOAD_ZONES: "${part}" should read like amazon:us:ashburn=50.`);
    }
    if (zones[loadZone] !== undefined) {
      throw new Error(`LOAD_ZONES: ${loadZone} is listed twice.`);
    }
    const percent = Number(percentText);
    zones[loadZone] = { loadZone, percent };
    sum += percent;
  }
  if (sum !== 100) {
    throw new Error(`LOAD_ZONES: the shares add up to ${sum} %, not to 100 %.`);
  }
  return zones;
}

/** k6's `cloud` options; unused by a local run. Project and zones are left to k6 where the environment names none. */
export function readCloudOptions(environment: Environment, scriptName: string): CloudOptions {
  const project = environment["K6_CLOUD_PROJECT_ID"] ?? "";
  if (project !== "" && !/^\d+$/.test(project)) {
    throw new Error("K6_CLOUD_PROJECT_ID should be the project's number.");
  }
  const zones = environment["LOAD_ZONES"] ?? "";
  return {
    name: `Hopline ${scriptName}`,
    ...(project === "" ? {} : { projectID: Number(project) }),
    ...(zones === "" ? {} : { distribution: parseLoadZones(zones) }),
    ...(environment["STATIC_IPS"] === "1" ? { staticIPs: true } : {}),
  };
}

/** The bars of each zone in a cloud run: one that is slow or refused shows, however many others are fine. */
export function zoneThresholds(
  { distribution = {} }: CloudOptions,
  { p95Ms, p99Ms }: { readonly p95Ms: number; readonly p99Ms: number },
): Record<string, Threshold[]> {
  const bars = Object.values(distribution).flatMap(({ loadZone }): [string, Threshold[]][] => [
    [`http_req_duration{scenario:steady,load_zone:${loadZone}}`, [`p(95)<${p95Ms}`, `p(99)<${p99Ms}`]],
    [`checks{load_zone:${loadZone}}`, ["rate>0.999", ABORT]],
  ]);
  return Object.fromEntries(bars);
}
