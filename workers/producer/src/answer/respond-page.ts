/**
 * Answers with pages of ours: HTML for people, JSON for clients that say they prefer it. Owns their status codes and
 * headers; decides nothing about links.
 */
import type { AnswerTier, RefusalReason } from "@hopline/edge-cache/read-through-ports";
import { PAGE_POLICY, type PageCode, STATUS_OF } from "./page.ts";
import type * as Pages from "./pages/render-page.ts";
import { prefersJson } from "./prefers-json.ts";
import { type HeaderFields, NOT_STORED, withTiming } from "./respond-redirect.ts";

/** How long a client should wait before it asks again, in seconds: after an outage, and after its own limit was reached. */
const OUTAGE_RETRY_AFTER_SECONDS = "5";
/** The period of MISS_LIMIT in wrangler.jsonc. */
const LIMIT_RETRY_AFTER_SECONDS = "10";

export function respondUnavailable(
  request: Request,
  code: "origin_unavailable" | "api_unavailable" = "origin_unavailable",
): Promise<Response> {
  return respondPage(request, code, { fields: { "retry-after": OUTAGE_RETRY_AFTER_SECONDS } });
}

/** A network rate-limited gets 429. The limits of the isolate are ours, and the visitor did nothing wrong: 503. */
export function respondRefused(request: Request, reason: RefusalReason): Promise<Response> {
  return reason === "visitor"
    ? respondPage(request, "too_many_unknown_links", { fields: { "retry-after": LIMIT_RETRY_AFTER_SECONDS } })
    : respondUnavailable(request);
}

export function respondMethodNotAllowed(request: Request): Promise<Response> {
  return respondPage(request, "method_not_allowed", { fields: { allow: "GET, HEAD" } });
}

type PageOptions = {
  readonly fields?: HeaderFields;
  readonly site?: Pages.Site | null;
  readonly tier?: AnswerTier | undefined;
};

/** Loaded with the first page. The module and not its promise, which belongs to the request that has made it. */
let pages: typeof Pages | undefined;

/** A page for a person, or the same as JSON. Never stored by anyone: what is missing now may exist in a second. */
export async function respondPage(
  request: Request,
  code: PageCode,
  { fields, site = null, tier }: PageOptions = {},
): Promise<Response> {
  pages ??= await import("./pages/render-page.ts");
  const isJson = prefersJson(request.headers.get("accept"));
  const page = isJson ? null : pages.renderPage(code, site, request.headers.get("accept-language"));
  const headers: HeaderFields = {
    ...(page === null
      ? { "content-type": "application/json; charset=utf-8" }
      : { "content-type": "text/html; charset=utf-8", "content-language": page.lang }),
    ...NOT_STORED,
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    vary: "accept, accept-language",
    ...fields,
  };
  return new Response(request.method === "HEAD" ? null : (page?.html ?? pages.renderJson(code)), {
    status: STATUS_OF[code],
    headers: withTiming(headers, request.headers, tier),
  });
}
