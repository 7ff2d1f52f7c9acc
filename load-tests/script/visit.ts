/**
 * One visit of a link, checked for the status and the exact Location. k6 only.
 *
 * Every 302 is counted in `redirects`: that many clicks have to be in the database at the end. Where links are cold, every
 * visit asks for the tier that answered, as where the tail is measured; otherwise one in fifty.
 */
import { check } from "k6";
import http, { type RefinedParams, type RefinedResponse } from "k6/http";
import { Counter, Trend } from "k6/metrics";
import {
  answerOf,
  ANSWERS,
  CONSTANT,
  squaresOf,
  tierOf,
  type Timed,
  TIMED,
  tookOf,
  WRONG_LOCATION,
} from "./counters.ts";
import { localVisitorHeaders } from "./local-visitors.ts";
import type { Settings } from "./settings.ts";
import { destinationOf, slugOf } from "./targets.ts";

/** Made once a VU: objects that k6 would otherwise build for every request. */
const VISITORS = 256;
const DEBUG_EVERY = 50;
const TIMEOUT = "10s";

const answers = new Map(ANSWERS.map((name) => [name, new Counter(name)]));
const took = new Map(
  TIMED.map((tier) => [
    tier,
    { times: new Trend(tookOf(tier), true), squares: new Counter(squaresOf(tier)) },
  ]),
);
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
      noteTime(tier, response);
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

/** One visit of the constant Worker, with the headers of any other; it counts no click. */
export function createYardstick(settings: Settings, baseUrl: string): () => void {
  const visitors = Array.from({ length: VISITORS }, (_, index) => paramsOf(settings, index, true));
  return () => {
    const response = http.get(`${baseUrl}/${slugOf(0)}`, visitors[Math.floor(Math.random() * VISITORS)]);
    noteTime(CONSTANT, response);
    check(response.status, { "the constant Worker answers": (status) => status === 302 });
  };
}

function noteTime(tier: Timed, { timings: { duration } }: Answer): void {
  took.get(tier)?.times.add(duration);
  took.get(tier)?.squares.add(duration ** 2);
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
