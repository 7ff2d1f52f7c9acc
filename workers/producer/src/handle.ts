/**
 * The redirect, from request to response, on one screen. Pure flow over ports; the entry supplies them. A link that the
 * isolate holds is answered without a promise: nothing is awaited and nothing called before the response.
 */
import type { ReportedTier } from "@hopline/core/edge-report";
import { foldSlug, linkKeyOf, parseSlug, splitRequestUrl } from "@hopline/core/link-address";
import type { CacheEntry } from "@hopline/edge-cache/cache-entry";
import { heldTier } from "@hopline/edge-cache/read-through";
import type { AnswerTier } from "@hopline/edge-cache/read-through-events";
import type { Visit } from "@hopline/edge-cache/read-through-ports";
import { answerLink } from "./answer-link.ts";
import { answerRoot, answerUnknown, withDomain } from "./answer-without-link.ts";
import { type EdgeRecord, isDomain } from "./edge-record.ts";
import type { Exchange, LinkExchange, RedirectDeps } from "./exchange.ts";
import { nameOfError } from "./log.ts";
import { isForm } from "./password/is-form.ts";
import type { Defer } from "./ports.ts";
import {
  respondApiUnavailable,
  respondMethodNotAllowed,
  respondRefused,
  respondUnavailable,
} from "./respond.ts";
import { readNetwork } from "./read-network.ts";
import { respondWellKnown } from "./well-known.ts";

export function handleRequest(
  request: Request,
  deps: RedirectDeps,
  defer: Defer,
): Response | Promise<Response> {
  const { host, path, query } = splitRequestUrl(request.url);
  if (path === "/api" || path.startsWith("/api/")) {
    return forward(request, deps);
  }
  if (request.method !== "GET" && request.method !== "HEAD" && !isForm(request)) {
    return respondMethodNotAllowed(request);
  }
  const startedAtMs = deps.nowMs();
  const visit: Visit = { defer, admit: () => deps.misses.allows(readNetwork(request)) };
  const slug = parseSlug(path);
  if (slug === null) {
    const exchange = { request, host, path, query, deps, visit, startedAtMs };
    return counted(answerOddPath(exchange), "none", exchange);
  }
  const exchange = { request, host, path, query, deps, visit, startedAtMs, slug, key: linkKeyOf(host, slug) };
  const catchingUp = deps.changes.keepUp(host, startedAtMs, defer);
  return catchingUp === null ? resolve(exchange) : catchingUp.then(() => resolve(exchange));
}

function answerOddPath(exchange: Exchange): Response | Promise<Response> {
  const { request, path } = exchange;
  if (request.method === "POST") {
    return respondMethodNotAllowed(request);
  }
  return path === "/" ? answerRoot(exchange) : (respondWellKnown(path) ?? answerUnknown(exchange));
}

function resolve(exchange: LinkExchange): Response | Promise<Response> {
  const { deps, visit, slug, key } = exchange;
  const nowMs = deps.nowMs();
  const held = deps.links.peek(key, nowMs, visit);
  // Only a slug that is not held as it stands may be another spelling of a link's.
  if (held?.kind !== "live" && slug !== foldSlug(slug)) {
    return resolveInAnyCase(exchange);
  }
  return held === undefined ? lookUp(exchange) : answer(held, heldTier(held, nowMs), exchange);
}

function resolveInAnyCase(exchange: LinkExchange): Response | Promise<Response> {
  return withDomain(exchange, (domain) => {
    if (domain?.ignoresCase !== true) {
      return resolveExactly(exchange);
    }
    const slug = foldSlug(exchange.slug);
    return resolveExactly({ ...exchange, slug, key: linkKeyOf(exchange.host, slug) });
  });
}

function resolveExactly(exchange: LinkExchange): Response | Promise<Response> {
  const { deps, visit, key } = exchange;
  const nowMs = deps.nowMs();
  const held = deps.links.peek(key, nowMs, visit);
  return held === undefined ? lookUp(exchange) : answer(held, heldTier(held, nowMs), exchange);
}

async function lookUp(exchange: LinkExchange): Promise<Response> {
  const { request, deps, visit, key } = exchange;
  const found = await deps.links.load(key, visit);
  switch (found.kind) {
    case "found":
      return answer(found.entry, found.tier, exchange);
    case "refused":
      return counted(respondRefused(request, found.reason), "none", exchange);
    case "unavailable":
      return counted(respondUnavailable(request), "none", exchange);
  }
}

function answer(
  entry: CacheEntry<EdgeRecord>,
  tier: AnswerTier,
  exchange: LinkExchange,
): Response | Promise<Response> {
  return counted(answerFrom(entry, tier, exchange), tier, exchange);
}

/** The answer, counted for the metrics as soon as it is there. */
function counted<Answer extends Response | Promise<Response>>(
  answer: Answer,
  tier: ReportedTier,
  exchange: Exchange,
): Answer | Promise<Response> {
  if (answer instanceof Promise) {
    return answer.then((response) => counted(response, tier, exchange));
  }
  exchange.deps.answers.count(tier, answer.status, exchange);
  return answer;
}

function answerFrom(
  entry: CacheEntry<EdgeRecord>,
  tier: AnswerTier,
  exchange: LinkExchange,
): Response | Promise<Response> {
  if (entry.kind === "negative" || isDomain(entry.value)) {
    return answerUnknown(exchange, tier);
  }
  return answerLink({ record: entry.value, tier, exchange });
}

/** The API sets its own limits of time (an export may stream for minutes), so none is set here. */
async function forward(request: Request, { forwardToApi, log }: RedirectDeps): Promise<Response> {
  try {
    return await forwardToApi(request);
  } catch (error) {
    log({ event: "api.unreachable", reason: nameOfError(error) });
    return respondApiUnavailable(request);
  }
}
