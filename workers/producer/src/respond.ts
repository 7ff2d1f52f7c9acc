/**
 * Turns outcomes into HTTP. Owns status codes and headers; decides nothing about links. Pages are HTML for people and
 * JSON for clients that say they prefer it.
 */
import type { Outcome } from "@hopline/core/outcome";
import type { AnswerTier, RefusalReason } from "@hopline/edge-cache/read-through-events";
import { makePage, type Page } from "./page.ts";
import { prefersJson } from "./prefers-json.ts";

/** How long a client should wait before it asks again, in seconds: after an outage, and after its own limit was reached. */
const OUTAGE_RETRY_AFTER_SECONDS = "5";
/** The period of MISS_LIMIT in wrangler.jsonc. */
const LIMIT_RETRY_AFTER_SECONDS = "10";

/** Asks for `Server-Timing`, which names the tier that answered. */
const DEBUG_HEADER = "hopline-debug";

const UNKNOWN = makePage({
  status: 404,
  code: "link_unknown",
  title: "No such link",
  message: "Nothing is stored under this address. Check it for a missing or a wrong letter.",
});

const GONE = makePage({
  status: 410,
  code: "link_gone",
  title: "This link has ended",
  message: "Its owner has switched it off.",
});

const METHOD_NOT_ALLOWED = makePage({
  status: 405,
  code: "method_not_allowed",
  title: "Not this way",
  message: "A short link answers GET and HEAD only.",
});

const TOO_MANY_MISSES = makePage({
  status: 429,
  code: "too_many_unknown_links",
  title: "Too many unknown links",
  message:
    "Many addresses that we do not know were asked for from your network. Please try again in ten seconds.",
});

const UNAVAILABLE = makePage({
  status: 503,
  code: "origin_unavailable",
  title: "Just a moment",
  message:
    "We can't look this link up right now. The trouble is ours, not the link's; please try again in a few seconds.",
});

const API_UNAVAILABLE = makePage({
  status: 503,
  code: "api_unavailable",
  title: "The API can't be reached",
  message: "Redirects are not affected. Please try again in a few seconds.",
});

const CRASHED = makePage({
  status: 500,
  code: "internal_error",
  title: "That is our fault",
  message: "Something broke while this link was looked up. It has been noted.",
});

/** Header names in lower case, as they are sent over HTTP/2. */
type HeaderFields = Record<string, string>;

export function respondOutcome(outcome: Outcome, request: Request, tier: AnswerTier): Response {
  switch (outcome.kind) {
    case "redirect":
      return respondRedirect(outcome, request, tier);
    case "gone":
      return respondPage(request, GONE, serverTiming(request, tier));
    case "unknown":
      return respondUnknown(request, tier);
  }
}

export function respondUnknown(request: Request, tier?: AnswerTier): Response {
  return respondPage(request, UNKNOWN, tier === undefined ? {} : serverTiming(request, tier));
}

export function respondUnavailable(request: Request): Response {
  return respondPage(request, UNAVAILABLE, { "retry-after": OUTAGE_RETRY_AFTER_SECONDS });
}

export function respondApiUnavailable(request: Request): Response {
  return respondPage(request, API_UNAVAILABLE, { "retry-after": OUTAGE_RETRY_AFTER_SECONDS });
}

/** The visitor's own limit is theirs to know (429); the isolate's caps are ours, and nobody did wrong (503). */
export function respondRefused(request: Request, reason: RefusalReason): Response {
  return reason === "visitor"
    ? respondPage(request, TOO_MANY_MISSES, { "retry-after": LIMIT_RETRY_AFTER_SECONDS })
    : respondUnavailable(request);
}

export function respondMethodNotAllowed(request: Request): Response {
  return respondPage(request, METHOD_NOT_ALLOWED, { allow: "GET, HEAD" });
}

export function respondCrashed(request: Request): Response {
  return respondPage(request, CRASHED);
}

/** A page for a person, or the same as JSON. Never stored by anyone: what is missing now may exist in a second. */
export function respondPage(request: Request, page: Page, fields: HeaderFields = {}): Response {
  const isJson = prefersJson(request.headers.get("accept"));
  const body = isJson ? page.json : page.html;
  return new Response(request.method === "HEAD" ? null : body, {
    status: page.status,
    headers: {
      "content-type": isJson ? "application/json; charset=utf-8" : "text/html; charset=utf-8",
      "cache-control": "private, no-store",
      "x-robots-tag": "noindex",
      vary: "accept",
      ...fields,
    },
  });
}

function respondRedirect(
  { url, status }: Extract<Outcome, { kind: "redirect" }>,
  request: Request,
  tier: AnswerTier,
): Response {
  const headers: HeaderFields = {
    location: url,
    // A permanent redirect without a limit stays in browsers for ever, and edits would never reach them.
    "cache-control": status === 301 || status === 308 ? "private, max-age=60" : "private, no-store",
    "x-robots-tag": "noindex",
  };
  if (request.headers.has(DEBUG_HEADER)) {
    headers["server-timing"] = tier;
  }
  return new Response(null, { status, headers });
}

/** One metric, named after the tier, without parameters (https://www.w3.org/TR/server-timing/). */
function serverTiming(request: Request, tier: AnswerTier): HeaderFields {
  return request.headers.has(DEBUG_HEADER) ? { "server-timing": tier } : {};
}
