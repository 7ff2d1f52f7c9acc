/**
 * Turns outcomes into HTTP. Owns status codes and headers; decides nothing about links. Pages are HTML for people and
 * JSON for clients that say they prefer it.
 */
import type { RedirectStatus } from "@hopline/core/link-record";
import type { GoneReason } from "@hopline/core/plain-outcome";
import type { AnswerTier, RefusalReason } from "@hopline/edge-cache/read-through-events";
import { type Page, PAGE_POLICY, type Site } from "./page.ts";
import {
  API_UNAVAILABLE,
  CRASHED,
  DISABLED,
  EXPIRED,
  METHOD_NOT_ALLOWED,
  TOO_MANY_MISSES,
  UNAVAILABLE,
  USED_UP,
} from "./pages.ts";
import { prefersJson } from "./prefers-json.ts";

/** How long a client should wait before it asks again, in seconds: after an outage, and after its own limit was reached. */
const OUTAGE_RETRY_AFTER_SECONDS = "5";
/** The period of MISS_LIMIT in wrangler.jsonc. */
const LIMIT_RETRY_AFTER_SECONDS = "10";

/** Asks for `Server-Timing`, which names the tier that answered. */
const DEBUG_HEADER = "hopline-debug";

/** Header names in lower case, as they are sent over HTTP/2. */
export type HeaderFields = Record<string, string>;

export const GONE_PAGES: Readonly<Record<GoneReason, Page>> = {
  disabled: DISABLED,
  expired: EXPIRED,
  "used-up": USED_UP,
};

export function respondUnavailable(request: Request): Response {
  return respondPage(request, UNAVAILABLE, { fields: { "retry-after": OUTAGE_RETRY_AFTER_SECONDS } });
}

export function respondApiUnavailable(request: Request): Response {
  return respondPage(request, API_UNAVAILABLE, { fields: { "retry-after": OUTAGE_RETRY_AFTER_SECONDS } });
}

/** The visitor's own limit is theirs to know (429); the isolate's caps are ours, and nobody did wrong (503). */
export function respondRefused(request: Request, reason: RefusalReason): Response {
  return reason === "visitor"
    ? respondPage(request, TOO_MANY_MISSES, { fields: { "retry-after": LIMIT_RETRY_AFTER_SECONDS } })
    : respondUnavailable(request);
}

export function respondMethodNotAllowed(request: Request): Response {
  return respondPage(request, METHOD_NOT_ALLOWED, { fields: { allow: "GET, HEAD" } });
}

export function respondCrashed(request: Request): Response {
  return respondPage(request, CRASHED);
}

type PageOptions = {
  readonly fields?: HeaderFields;
  readonly site?: Site | null;
  readonly tier?: AnswerTier | undefined;
};

/** A page for a person, or the same as JSON. Never stored by anyone: what is missing now may exist in a second. */
export function respondPage(
  request: Request,
  page: Page,
  { fields, site = null, tier }: PageOptions = {},
): Response {
  const isJson = prefersJson(request.headers.get("accept"));
  const headers: HeaderFields = {
    "content-type": isJson ? "application/json; charset=utf-8" : "text/html; charset=utf-8",
    "cache-control": "private, no-store",
    "content-security-policy": PAGE_POLICY,
    "x-robots-tag": "noindex",
    vary: "accept",
    ...fields,
  };
  return new Response(request.method === "HEAD" ? null : isJson ? page.json : page.html(site), {
    status: page.status,
    headers: timed(headers, request, tier),
  });
}

export type Departure = {
  readonly location: string;
  /** 303: after a form, so that the password is not sent on. */
  readonly status: RedirectStatus | 303;
  /** Whether a browser may keep a permanent redirect for a minute: not where it may be another one in a second. */
  readonly isKept: boolean;
};

export function respondRedirect(
  { location, status, isKept }: Departure,
  request: Request,
  tier?: AnswerTier,
): Response {
  const headers: HeaderFields = {
    location,
    // A permanent redirect without a limit stays in browsers for ever, and edits would never reach them.
    "cache-control":
      isKept && (status === 301 || status === 308) ? "private, max-age=60" : "private, no-store",
    "x-robots-tag": "noindex",
  };
  return new Response(null, { status, headers: timed(headers, request, tier) });
}

/** To where a domain or an ended link sends those it has nothing for. */
export function respondFallback(url: string, request: Request, tier?: AnswerTier): Response {
  return respondRedirect({ location: url, status: 302, isKept: false }, request, tier);
}

/** One metric, named after the tier, without parameters (https://www.w3.org/TR/server-timing/). */
export function timed(headers: HeaderFields, request: Request, tier: AnswerTier | undefined): HeaderFields {
  if (tier !== undefined && request.headers.has(DEBUG_HEADER)) {
    headers["server-timing"] = tier;
  }
  return headers;
}
