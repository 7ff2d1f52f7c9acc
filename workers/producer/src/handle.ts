/**
 * The redirect, from request to response, on one screen. Pure flow over ports; the entry supplies them. A link that the
 * isolate holds is answered without a promise: nothing is awaited and nothing called before the response.
 */
import { foldSlug, linkKeyOf, parseSlug, splitRequestUrl } from "@hopline/core/link/link-address";
import type { CacheEntry } from "@hopline/edge-cache/cache-entry";
import { heldTier } from "@hopline/edge-cache/read-through";
import type { AnswerTier } from "@hopline/edge-cache/read-through-events";
import type { Visit } from "@hopline/edge-cache/read-through-ports";
import { answerLink } from "./answer-link.ts";
import { type EdgeRecord, isDomain } from "./edge-record.ts";
import type { Exchange, LinkExchange, RedirectDeps } from "./exchange.ts";
import { withDomains, withPages } from "./lazy-parts.ts";
import { nameOfError } from "./log.ts";
import { isForm } from "./password/is-form.ts";
import type { AnsweredFrom, Defer } from "./ports.ts";
import { readNetwork } from "./read-network.ts";

/** Which tier knew, and when; epoch milliseconds. */
type FoundAt = { readonly tier: AnswerTier; readonly nowMs: number };

export function handleRequest(
  request: Request,
  deps: RedirectDeps,
  defer: Defer,
): Response | Promise<Response> {
  const { host, path, query } = splitRequestUrl(request.url);
  if (path === "/api" || path.startsWith("/api/")) {
    return forward(request, deps);
  }
  const { method, headers } = request;
  if (method !== "GET" && method !== "HEAD" && !isForm(request)) {
    return withPages(({ respondMethodNotAllowed }) => respondMethodNotAllowed(request));
  }
  const startedAtMs = deps.nowMs();
  const visit: Visit = { defer, admit: () => deps.misses.allows(readNetwork(headers)) };
  const slug = parseSlug(path);
  if (slug === null) {
    const exchange = { request, method, headers, host, path, query, deps, visit, startedAtMs };
    return counted(
      withDomains(({ answerOddPath }) => answerOddPath(exchange)),
      { tier: "none", nowMs: startedAtMs },
      exchange,
    );
  }
  const key = linkKeyOf(host, slug);
  const exchange = { request, method, headers, host, path, query, deps, visit, startedAtMs, slug, key };
  const catchingUp = deps.changes.keepUp(host, startedAtMs, defer);
  return catchingUp === null
    ? resolve(exchange, startedAtMs)
    : catchingUp.then(() => resolve(exchange, deps.nowMs()));
}

/** A hit is answered in the instant it came in: one look at the clock is enough. */
function resolve(exchange: LinkExchange, nowMs: number): Response | Promise<Response> {
  const { deps, visit, slug, key } = exchange;
  const held = deps.links.peek(key, nowMs, visit);
  // Only a slug that is not held as it stands may be another spelling of a link's.
  if (held?.kind !== "live" && slug !== foldSlug(slug)) {
    return resolveInAnyCase(exchange);
  }
  return held === undefined ? lookUp(exchange) : answerHeld(held, exchange, nowMs);
}

function resolveInAnyCase(exchange: LinkExchange): Response | Promise<Response> {
  return withDomains(({ withDomain }) =>
    withDomain(exchange, (domain) => {
      if (domain?.ignoresCase !== true) {
        return resolveExactly(exchange);
      }
      const slug = foldSlug(exchange.slug);
      return resolveExactly({ ...exchange, slug, key: linkKeyOf(exchange.host, slug) });
    }),
  );
}

function resolveExactly(exchange: LinkExchange): Response | Promise<Response> {
  const { deps, visit, key } = exchange;
  const nowMs = deps.nowMs();
  const held = deps.links.peek(key, nowMs, visit);
  return held === undefined ? lookUp(exchange) : answerHeld(held, exchange, nowMs);
}

async function lookUp(exchange: LinkExchange): Promise<Response> {
  const { request, deps, visit, key } = exchange;
  const found = await deps.links.load(key, visit);
  switch (found.kind) {
    case "found":
      return answer(found.entry, exchange, { tier: found.tier, nowMs: deps.nowMs() });
    case "refused":
      return withPages(({ respondRefused }) =>
        counted(respondRefused(request, found.reason), { tier: "none", nowMs: deps.nowMs() }, exchange),
      );
    case "unavailable":
      return withPages(({ respondUnavailable }) =>
        counted(respondUnavailable(request), { tier: "none", nowMs: deps.nowMs() }, exchange),
      );
  }
}

function answerHeld(
  entry: CacheEntry<EdgeRecord>,
  exchange: LinkExchange,
  nowMs: number,
): Response | Promise<Response> {
  return answer(entry, exchange, { tier: heldTier(entry, nowMs), nowMs });
}

function answer(
  entry: CacheEntry<EdgeRecord>,
  exchange: LinkExchange,
  found: FoundAt,
): Response | Promise<Response> {
  return counted(answerFrom(entry, exchange, found), found, exchange);
}

/** The answer, counted for the metrics as soon as it is there: in the instant given, if it is no promise. */
function counted(
  response: Response | Promise<Response>,
  found: AnsweredFrom,
  exchange: Exchange,
): Response | Promise<Response> {
  const { answers, nowMs } = exchange.deps;
  if (response instanceof Promise) {
    return response.then((settled) => counted(settled, { tier: found.tier, nowMs: nowMs() }, exchange));
  }
  answers.count(response.status, found, exchange);
  return response;
}

function answerFrom(
  entry: CacheEntry<EdgeRecord>,
  exchange: LinkExchange,
  { tier, nowMs }: FoundAt,
): Response | Promise<Response> {
  if (entry.kind === "negative" || isDomain(entry.value)) {
    return withDomains(({ answerUnknown }) => answerUnknown(exchange, tier));
  }
  return answerLink({ record: entry.value, tier, nowMs, exchange });
}

/** The API sets its own limits of time (an export may stream for minutes), so none is set here. */
async function forward(request: Request, { forwardToApi, log }: RedirectDeps): Promise<Response> {
  try {
    return await forwardToApi(request);
  } catch (error) {
    log({ event: "api.unreachable", reason: nameOfError(error) });
    return withPages(({ respondApiUnavailable }) => respondApiUnavailable(request));
  }
}
