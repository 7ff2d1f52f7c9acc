/**
 * Traffic while links are created, edited and deleted through the API: RATE visits a second of the data set, and at
 * the same time EDITORS (3) that take a link of their own through its life. Every step has to be in effect within STALE_SECONDS
 * (2, the change feed's promise; 120 where there is none), and no visit may ever see anything but the state before or
 * after. Needs API_KEY with links:write. With YARDSTICK_URL the constant Worker there is visited in turn, at the same rate.
 */
import { check, sleep } from "k6";
import http from "k6/http";
import { Trend } from "k6/metrics";
import { atItsRate, steady, toOptions } from "./script/phases.ts";
import { SCRIPT_DEFAULTS } from "./script/script-defaults.ts";
import { readSettings } from "./script/settings.ts";
import { pickLink } from "./script/targets.ts";
import { type Answer, createVisits, createYardstick } from "./script/visit.ts";

const settings = readSettings(__ENV, SCRIPT_DEFAULTS.mixed);
const { rate, duration, durationSeconds, yardstickUrl } = settings;
const visits = createVisits(settings, yardstickUrl === null ? undefined : 1);
const visitYardstick = createYardstick(settings, yardstickUrl ?? "");
/** Half of the time from one visit to the next. */
const HALF_A_TURN_SECONDS = 1 / (2 * rate);
const editors = Number(__ENV["EDITORS"] ?? "3");
const staleSeconds = Number(__ENV["STALE_SECONDS"] ?? "2");
const POLL_SECONDS = 0.1;
/** Waits this long for a change, so that the time it took is known even where it is too long. */
const PATIENCE_SECONDS = staleSeconds * 5;

const inEffectMs = new Trend("change_in_effect_ms", true);
http.setResponseCallback(http.expectedStatuses(200, 201, 204, 302, 404, 410));

export const options = toOptions({
  settings,
  environment: __ENV,
  scriptName: "mixed",
  scenarios: {
    steady: { ...steady(rate, duration), exec: "visitor" },
    ...(yardstickUrl === null
      ? {}
      : { constant: { ...steady(rate, duration, HALF_A_TURN_SECONDS), exec: "yardstick" } }),
    editors: {
      executor: "constant-vus",
      vus: editors,
      duration: settings.duration,
      // An editor cut short would leave a link behind, and perhaps a redirect that was not counted.
      gracefulStop: `${PATIENCE_SECONDS * 3 + 15}s`,
      exec: "editor",
    },
  },
  thresholds: {
    change_in_effect_ms: [`p(99)<${staleSeconds * 1_000}`],
    ...(yardstickUrl === null ? {} : { "iterations{scenario:constant}": [atItsRate(rate, durationSeconds)] }),
  },
});

export function visitor(): void {
  visits.visitLink(pickLink(settings.linkCount, Math.random));
}

export function yardstick(): void {
  visitYardstick();
}

export function editor(): void {
  const slug = `m${__VU}-${__ITER}-${Date.now().toString(36)}`;
  const [first, second] = [1, 2].map((step) => `https://example.com/mixed/${slug}/${step}`);
  if (first === undefined || second === undefined) {
    return;
  }
  const created = callApi("POST", "/api/v1/links", { slug, url: first, domain: settings.host });
  const id = created.status === 201 ? created.json("id") : null;
  check(created, { "a link is created": () => typeof id === "string" });
  if (typeof id !== "string") {
    sleep(1);
    return;
  }
  expectWithin("a new link", slug, { before: isUnknown, after: (answer) => leadsTo(answer, first) });

  const edited = callApi("PATCH", `/api/v1/links/${id}`, { url: second }, created.headers["Etag"]);
  check(edited, { "a link is edited": ({ status }) => status === 200 });
  expectWithin("an edit", slug, {
    before: (answer) => leadsTo(answer, first),
    after: (answer) => leadsTo(answer, second),
  });

  const deleted = callApi("DELETE", `/api/v1/links/${id}`, null, edited.headers["Etag"]);
  check(deleted, { "a link is deleted": ({ status }) => status === 200 || status === 204 });
  expectWithin("a deletion", slug, { before: (answer) => leadsTo(answer, second), after: isUnknown });
}

type Judge = (answer: Answer) => boolean;

/** Visits until the change shows; every answer until then has to be the one from before. */
function expectWithin(
  what: string,
  slug: string,
  judges: { readonly before: Judge; readonly after: Judge },
): void {
  const startedAtMs = Date.now();
  for (;;) {
    const answer = visits.visitPath(slug);
    const elapsedMs = Date.now() - startedAtMs;
    if (judges.after(answer)) {
      inEffectMs.add(elapsedMs);
      check(elapsedMs, { [`${what} is in effect in time`]: (ms) => ms <= staleSeconds * 1_000 });
      return;
    }
    const isPatient = elapsedMs < PATIENCE_SECONDS * 1_000;
    const isAsBefore = judges.before(answer);
    check(answer, { [`until ${what} is in effect, all is as before`]: () => isAsBefore });
    if (!isPatient || !isAsBefore) {
      check(elapsedMs, { [`${what} is in effect in time`]: () => false });
      return;
    }
    sleep(POLL_SECONDS);
  }
}

function isUnknown({ status }: Answer): boolean {
  return status === 404 || status === 410;
}

function leadsTo({ status, headers }: Answer, location: string): boolean {
  return status === 302 && headers["Location"] === location;
}

function callApi(method: string, path: string, body: object | null, etag?: string) {
  return http.request(method, `${settings.baseUrl}${path}`, body === null ? null : JSON.stringify(body), {
    responseType: "text",
    headers: {
      Authorization: `Bearer ${settings.apiKey ?? ""}`,
      "Content-Type": "application/json",
      ...(etag === undefined ? {} : { "If-Match": etag }),
    },
  });
}
