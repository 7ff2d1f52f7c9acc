/**
 * Answers with pages of ours: HTML for people, JSON for clients that say they prefer it. Owns their status codes and
 * headers; decides nothing about links.
 */
import type { AnswerTier, RefusalReason } from "@hopline/edge-cache/read-through-ports";
import { type Page, PAGE_POLICY, renderPage, type Site } from "./page.ts";
import { METHOD_NOT_ALLOWED, TOO_MANY_MISSES, UNAVAILABLE } from "./pages.ts";
import { prefersJson } from "./prefers-json.ts";
import { type HeaderFields, NOT_STORED, withTiming } from "./respond-redirect.ts";

/** How long a client should wait before it asks again, in seconds: after an outage, and after its own limit was reached. */
const OUTAGE_RETRY_AFTER_SECONDS = "5";
/** The period of MISS_LIMIT in wrangler.jsonc. */
const LIMIT_RETRY_AFTER_SECONDS = "10";

export function respondUnavailable(request: Request, page: Page = UNAVAILABLE): Response {
  return respondPage(request, page, { fields: { "retry-after": OUTAGE_RETRY_AFTER_SECONDS } });
}

/** A network rate-limited gets 429. The limits of the isolate are ours, and the visitor did nothing wrong: 503. */
export function respondRefused(request: Request, reason: RefusalReason): Response {
  return reason === "visitor"
    ? respondPage(request, TOO_MANY_MISSES, { fields: { "retry-after": LIMIT_RETRY_AFTER_SECONDS } })
    : respondUnavailable(request);
}

export function respondMethodNotAllowed(request: Request): Response {
  return respondPage(request, METHOD_NOT_ALLOWED, { fields: { allow: "GET, HEAD" } });
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
    ...NOT_STORED,
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    vary: "accept",
    ...fields,
  };
  const { status, code, title } = page;
  const body = isJson ? JSON.stringify({ status, code, title }) : renderPage(page, site);
  return new Response(request.method === "HEAD" ? null : body, {
    status,
    headers: withTiming(headers, request.headers, tier),
  });
}
