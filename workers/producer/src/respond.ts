/**
 * Turns outcomes into HTTP. Owns status codes and headers; decides nothing about links. Pages are HTML for people and
 * JSON for clients that say they prefer it.
 */
import type { Outcome } from "@hopline/core/outcome";
import { type Page, renderPage } from "./page.ts";
import type { Tier } from "./ports.ts";

/** How long a client should wait before it asks again after an outage, in seconds. */
const RETRY_AFTER_SECONDS = 5;

/** Asks for `Server-Timing`, which names the tier that answered. */
const DEBUG_HEADER = "hopline-debug";

export function respondOutcome(outcome: Outcome, request: Request, tier: Tier): Response {
  switch (outcome.kind) {
    case "redirect":
      return new Response(null, { status: outcome.status, headers: redirectHeaders(outcome, request, tier) });
    case "gone":
      return respondPage(
        request,
        {
          status: 410,
          code: "link_gone",
          title: "This link has ended",
          message: "Its owner has switched it off.",
        },
        tier,
      );
    case "unknown":
      return respondUnknown(request, tier);
  }
}

export function respondUnknown(request: Request, tier?: Tier): Response {
  return respondPage(
    request,
    {
      status: 404,
      code: "link_unknown",
      title: "No such link",
      message: "Nothing is stored under this address. Check it for a missing or a wrong letter.",
    },
    tier,
  );
}

export function respondUnavailable(request: Request): Response {
  const response = respondPage(request, {
    status: 503,
    code: "origin_unavailable",
    title: "Just a moment",
    message: "We can't look this link up right now. It has not gone away; please try again in a few seconds.",
  });
  response.headers.set("retry-after", String(RETRY_AFTER_SECONDS));
  return response;
}

export function respondMethodNotAllowed(request: Request): Response {
  const response = respondPage(request, {
    status: 405,
    code: "method_not_allowed",
    title: "Not this way",
    message: "A short link answers GET and HEAD only.",
  });
  response.headers.set("allow", "GET, HEAD");
  return response;
}

export function respondCrashed(request: Request): Response {
  return respondPage(request, {
    status: 500,
    code: "internal_error",
    title: "That is our fault",
    message: "Something broke while this link was looked up. It has been noted.",
  });
}

/** A page for a person, or the same as JSON. Never stored by anyone: what is missing now may exist in a second. */
export function respondPage(request: Request, page: Page, tier?: Tier): Response {
  const asJson = prefersJson(request.headers.get("accept"));
  const body = asJson
    ? JSON.stringify({ status: page.status, code: page.code, title: page.title })
    : renderPage(page);
  const headers = new Headers({
    "content-type": asJson ? "application/json; charset=utf-8" : "text/html; charset=utf-8",
    "cache-control": "private, no-store",
    "x-robots-tag": "noindex",
    vary: "accept",
  });
  setServerTiming(headers, request, tier);
  return new Response(request.method === "HEAD" ? null : body, { status: page.status, headers });
}

function redirectHeaders(
  outcome: Extract<Outcome, { kind: "redirect" }>,
  request: Request,
  tier: Tier,
): Headers {
  const isPermanent = outcome.status === 301 || outcome.status === 308;
  const headers = new Headers({
    location: outcome.url,
    // A permanent redirect without a limit stays in browsers for ever, and edits would never reach them.
    "cache-control": isPermanent ? "private, max-age=60" : "private, no-store",
    "x-robots-tag": "noindex",
  });
  setServerTiming(headers, request, tier);
  return headers;
}

function setServerTiming(headers: Headers, request: Request, tier: Tier | undefined): void {
  if (tier !== undefined && request.headers.has(DEBUG_HEADER)) {
    headers.set("server-timing", tier);
  }
}

function prefersJson(accept: string | null): boolean {
  return accept !== null && accept.includes("application/json") && !accept.includes("text/html");
}
