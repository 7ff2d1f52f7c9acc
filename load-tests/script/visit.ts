/**
 * One visit of a short link, checked to the letter: status 302 and the exact Location. k6 only.
 *
 * Every 302 is counted in `redirects`: that many clicks have to be in the database in the end. One visit in fifty asks
 * for the tier that answered; where a harness reads along, each answer time goes into its bucket as well.
 */
import { check } from "k6";
import http, { type RefinedParams, type RefinedResponse } from "k6/http";
import { Counter } from "k6/metrics";
import { LATENCY_COUNTERS, latencyBucketOf } from "./latency-buckets.ts";
import { localVisitorHeaders } from "./local-visitors.ts";
import type { Settings } from "./settings.ts";
import { destinationOf, slugOf } from "./targets.ts";
import { TIER_COUNTERS, tierOf } from "./tiers.ts";

/** Made once a VU: objects that k6 would otherwise build for every request. */
const VISITORS = 256;
const DEBUG_EVERY = 50;
const TIMEOUT = "10s";

const redirects = new Counter("redirects");
const tiers = new Map(Object.entries(TIER_COUNTERS).map(([tier, name]) => [tier, new Counter(name)]));

type Params = RefinedParams<"none">;
export type Answer = RefinedResponse<"none">;

export type Visits = {
  /** Asks for link `index` of the data set and checks the answer. */
  visitLink(index: number): void;
  /** Asks for any path and counts the answer; what it should be is the caller's to check. */
  visitPath(path: string): Answer;
};

export function createVisits(settings: Settings): Visits {
  const plain = Array.from({ length: VISITORS }, (_, index) => paramsOf(settings, index, false));
  const asking = Array.from({ length: VISITORS }, (_, index) => paramsOf(settings, index, true));
  // All of them in every VU: k6 needs to know its metrics before the first iteration.
  const buckets = settings.hasSeries ? LATENCY_COUNTERS.map((name) => new Counter(name)) : null;

  function visitPath(path: string): Answer {
    const visitor = Math.floor(Math.random() * VISITORS);
    const isAsking = Math.random() * DEBUG_EVERY < 1;
    const response = http.get(`${settings.baseUrl}/${path}`, (isAsking ? asking : plain)[visitor]);
    buckets?.[latencyBucketOf(response.timings.duration)]?.add(1);
    if (response.status === 302) {
      redirects.add(1);
    }
    if (isAsking) {
      tiers.get(tierOf(response.headers["Server-Timing"] ?? "") ?? "")?.add(1);
    }
    return response;
  }

  return {
    visitPath,
    visitLink(index) {
      const location = settings.constantLocation ?? destinationOf(index);
      check(visitPath(slugOf(index)), {
        "is a 302": ({ status }) => status === 302,
        "leads to the exact destination": ({ headers }) => headers["Location"] === location,
      });
    },
  };
}

function paramsOf(settings: Settings, visitor: number, isAsking: boolean): Params {
  return {
    redirects: 0,
    responseType: "none",
    timeout: TIMEOUT,
    headers: {
      ...(settings.isLocalEdge ? localVisitorHeaders(visitor) : {}),
      ...(isAsking ? { "Hopline-Debug": "1" } : {}),
    },
  };
}
