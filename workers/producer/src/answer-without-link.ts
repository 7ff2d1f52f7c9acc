/**
 * What a domain answers where no link does: its root, an unknown slug, a link that has ended. Only here are a domain's
 * settings looked up, and a host that has none, or whose settings can't be had, gets a plain page.
 */
import { type DomainRecord, domainKeyOf } from "@hopline/core/link/domain-record";
import type { CacheEntry } from "@hopline/edge-cache/cache-entry";
import type { AnswerTier } from "@hopline/edge-cache/read-through-events";
import { type EdgeRecord, isDomain } from "./edge-record.ts";
import type { Exchange } from "./exchange.ts";
import type { Page } from "./page.ts";
import { NO_SLUG, UNKNOWN } from "./pages.ts";
import { type HeaderFields, respondFallback } from "./respond.ts";
import { respondMethodNotAllowed, respondPage } from "./respond-page.ts";
import { respondWellKnown } from "./well-known.ts";

/**
 * Hands the domain's settings to `use`, or `null`. Without a promise where the isolate holds them; never rejects for
 * want of them.
 */
export function withDomain<Result>(
  { host, deps, visit }: Exchange,
  use: (domain: DomainRecord | null) => Result | Promise<Result>,
): Result | Promise<Result> {
  const key = domainKeyOf(host);
  const held = deps.links.peek(key, deps.nowMs(), visit);
  if (held !== undefined) {
    return use(domainIn(held));
  }
  return deps.links
    .load(key, visit)
    .then((found) => use(found.kind === "found" ? domainIn(found.entry) : null));
}

/** For a path that names no link. */
export function answerOddPath(exchange: Exchange): Response | Promise<Response> {
  const { request, path } = exchange;
  if (request.method === "POST") {
    return respondMethodNotAllowed(request);
  }
  return path === "/" ? answerRoot(exchange) : (respondWellKnown(path) ?? answerUnknown(exchange));
}

function answerRoot(exchange: Exchange): Response | Promise<Response> {
  return withDomain(exchange, (domain) =>
    domain?.rootUrl === undefined
      ? respondPage(exchange.request, NO_SLUG, { site: domain })
      : respondFallback(domain.rootUrl, exchange.headers),
  );
}

export function answerUnknown(exchange: Exchange, tier?: AnswerTier): Response | Promise<Response> {
  return withDomain(exchange, (domain) =>
    domain?.notFoundUrl === undefined
      ? respondPage(exchange.request, UNKNOWN, { site: domain, tier })
      : respondFallback(domain.notFoundUrl, exchange.headers, tier),
  );
}

export function answerEnded(exchange: Exchange, page: Page, tier: AnswerTier): Response | Promise<Response> {
  return withDomain(exchange, (domain) =>
    domain?.endedUrl === undefined
      ? respondPage(exchange.request, page, { site: domain, tier })
      : respondFallback(domain.endedUrl, exchange.headers, tier),
  );
}

/** A page of ours with the domain's name on it. */
export function answerPage(
  exchange: Exchange,
  page: Page,
  options: { readonly tier?: AnswerTier; readonly fields?: HeaderFields } = {},
): Response | Promise<Response> {
  return withDomain(exchange, (domain) => respondPage(exchange.request, page, { ...options, site: domain }));
}

function domainIn(entry: CacheEntry<EdgeRecord>): DomainRecord | null {
  return entry.kind === "live" && isDomain(entry.value) ? entry.value : null;
}
