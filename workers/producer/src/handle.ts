/**
 * The redirect, from request to response, on one screen. Pure flow over ports; the entry supplies them. A link that the
 * isolate holds is answered without a promise: nothing is awaited and nothing called before the response.
 */
import { type LinkKey, linkKeyOf, parseSlug, splitRequestUrl } from "@hopline/core/link-address";
import type { LinkRecord } from "@hopline/core/link-record";
import { decideOutcome } from "@hopline/core/outcome";
import { truncateAddress } from "@hopline/core/truncate-address";
import type { CacheEntry } from "@hopline/edge-cache/cache-entry";
import { heldTier } from "@hopline/edge-cache/read-through";
import type { AnswerTier } from "@hopline/edge-cache/read-through-events";
import type { Visit } from "@hopline/edge-cache/read-through-ports";
import { type Log, nameOfError } from "./log.ts";
import type { ChangeFollower, ClickSink, Defer, LinkDirectory, MissLimit } from "./ports.ts";
import { readClick } from "./read-click.ts";
import {
  respondApiUnavailable,
  respondMethodNotAllowed,
  respondOutcome,
  respondRefused,
  respondUnavailable,
  respondUnknown,
} from "./respond.ts";
import { respondWellKnown } from "./well-known.ts";

export type RedirectDeps = {
  readonly links: LinkDirectory;
  readonly changes: ChangeFollower;
  readonly misses: MissLimit;
  readonly clicks: ClickSink;
  /** Answers everything under `/api`. */
  readonly forwardToApi: (request: Request) => Promise<Response>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

export function handleRequest(
  request: Request,
  deps: RedirectDeps,
  defer: Defer,
): Response | Promise<Response> {
  const { host, path } = splitRequestUrl(request.url);
  if (path === "/api" || path.startsWith("/api/")) {
    return forward(request, deps);
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return respondMethodNotAllowed(request);
  }
  const slug = parseSlug(path);
  if (slug === null) {
    return respondWellKnown(path, request) ?? respondUnknown(request);
  }
  const key = linkKeyOf(host, slug);
  const visit: Visit = { defer, admit: () => deps.misses.allows(readNetwork(request)) };
  const exchange = { request, deps, visit };
  const catchingUp = deps.changes.keepUp(host, deps.nowMs(), defer);
  return catchingUp === null ? resolve(key, exchange) : catchingUp.then(() => resolve(key, exchange));
}

type Exchange = { readonly request: Request; readonly deps: RedirectDeps; readonly visit: Visit };

function resolve(key: LinkKey, exchange: Exchange): Response | Promise<Response> {
  const { deps, visit } = exchange;
  const nowMs = deps.nowMs();
  const held = deps.links.peek(key, nowMs, visit);
  return held === undefined ? lookUp(key, exchange) : answer(held, heldTier(held, nowMs), exchange);
}

async function lookUp(key: LinkKey, exchange: Exchange): Promise<Response> {
  const { request, deps, visit } = exchange;
  const found = await deps.links.load(key, visit);
  switch (found.kind) {
    case "found":
      return answer(found.entry, found.tier, exchange);
    case "refused":
      return respondRefused(request, found.reason);
    case "unavailable":
      return respondUnavailable(request);
  }
}

function answer(entry: CacheEntry<LinkRecord>, tier: AnswerTier, exchange: Exchange): Response {
  const { request } = exchange;
  if (entry.kind === "negative") {
    return respondUnknown(request, tier);
  }
  const outcome = decideOutcome(entry.value);
  if (outcome.kind === "redirect") {
    recordClick(entry.value, exchange);
  }
  return respondOutcome(outcome, request, tier);
}

/** A click that cannot be taken in is our loss; the visitor is redirected all the same. */
function recordClick(record: LinkRecord, { request, deps, visit }: Exchange): void {
  try {
    deps.clicks.record(readClick(request, record, deps.nowMs()), visit.defer);
  } catch (error) {
    deps.log({ event: "click.crashed", reason: nameOfError(error) });
  }
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

function readNetwork(request: Request): string | null {
  const address = request.headers.get("cf-connecting-ip");
  return address === null ? null : truncateAddress(address);
}
