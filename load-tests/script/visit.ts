/**
 * One visit of a link, checked for the status and the exact Location. k6 only.
 *
 * Every 302 is counted in `redirects`: that many clicks have to be in the database at the end. Where links are cold, every
 * visit asks for the tier that answered, otherwise one in fifty.
 */
import { check } from "k6";
import http, { type RefinedParams, type RefinedResponse } from "k6/http";
import { Counter } from "k6/metrics";
import { answerOf, ANSWERS, tierCounter, tierOf, TIERS, WRONG_LOCATION } from "./counters.ts";
import { localVisitorHeaders } from "./local-visitors.ts";
import type { Settings } from "./settings.ts";
import { destinationOf, slugOf } from "./targets.ts";

/** Made once a VU: objects that k6 would otherwise build for every request. */
const VISITORS = 256;
const DEBUG_EVERY = 50;
const TIMEOUT = "10s";

const answers = new Map(ANSWERS.map((name) => [name, new Counter(name)]));
const tiers = new Map(TIERS.map((tier) => [tier, new Counter(tierCounter(tier))]));
const wrongLocation = new Counter(WRONG_LOCATION);

type Params = RefinedParams<"none">;
export type Answer = RefinedResponse<"none">;

export type Visits = {
  /** Requests link `index` of the data set and checks the answer. */
  visitLink(index: number): void;
  /** Requests any path and counts the answer; the caller checks it. */
  visitPath(path: string): Answer;
};

/** @param debugEvery one visit in so many asks for the tier that answered. */
export function createVisits(settings: Settings, debugEvery = DEBUG_EVERY): Visits {
  const plain = Array.from({ length: VISITORS }, (_, index) => paramsOf(settings, index, false));
  const asking = Array.from({ length: VISITORS }, (_, index) => paramsOf(settings, index, true));

  function visitPath(path: string): Answer {
    const visitor = Math.floor(Math.random() * VISITORS);
    const isAsking = Math.random() * debugEvery < 1;
    const response = http.get(`${settings.baseUrl}/${path}`, (isAsking ? asking : plain)[visitor]);
    answers.get(answerOf(response.status))?.add(1);
    const tier = isAsking ? tierOf(response.headers["Server-Timing"] ?? "") : null;
    if (tier !== null) {
      tiers.get(tier)?.add(1);
    }
    return response;
  }

  return {
    visitPath,
    visitLink(index) {
      const { status, headers } = visitPath(slugOf(index));
      const isRight = headers["Location"] === (settings.constantLocation ?? destinationOf(index));
      if (status === 302 && !isRight) {
        wrongLocation.add(1);
      }
      check(status, { "is a 302": () => status === 302, "leads to the exact destination": () => isRight });
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
