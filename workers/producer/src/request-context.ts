/** One request, read once, and what is needed to answer it. */
import { type LinkKey, linkKeyOf, parseSlug, splitRequestUrl } from "@hopline/core/link/link-address";
import { truncateAddress } from "@hopline/core/click/truncate-address";
import type { Visit } from "@hopline/edge-cache/read-through-ports";
import type { Defer, RedirectDeps } from "./ports.ts";

export type RequestContext = {
  readonly request: Request;
  readonly method: string;
  readonly headers: Headers;
  readonly host: string;
  /** As asked for, from `/`. */
  readonly path: string;
  /** Raw, without its `?`. */
  readonly query: string;
  /** `null` for a path that names no link; one may forward it. */
  readonly key: LinkKey | null;
  readonly deps: RedirectDeps;
  readonly visit: Visit;
  readonly startedAtMs: number;
};

export function readRequest(request: Request, deps: RedirectDeps, defer: Defer): RequestContext {
  const { host, path, query } = splitRequestUrl(request.url);
  const { method, headers } = request;
  const slug = parseSlug(path);
  const key = slug === null ? null : linkKeyOf(host, slug);
  const startedAtMs = deps.nowMs();
  const visit: Visit = {
    defer,
    untilMs: startedAtMs + deps.visitTimeoutMs,
    announced: deps.changes.poll(startedAtMs, defer),
    isRateLimited: () => deps.misses.isRateLimited(readNetwork(headers)),
    chargeMiss: () => deps.misses.charge(readNetwork(headers)),
    creditHit: () => deps.misses.credit(readNetwork(headers)),
  };
  return { request, method, headers, host, path, query, key, deps, visit, startedAtMs };
}

/** The visitor's truncated network, `null` where the platform does not say. */
export function readNetwork(headers: Headers): string | null {
  const address = headers.get("cf-connecting-ip");
  return address === null ? null : truncateAddress(address);
}

/**
 * Says that a page is fetched before a click that may never come: Sec-Purpose (Fetch), Purpose (older Chromium, Safari),
 * X-Purpose (older Safari: preview), X-Moz (older Firefox).
 */
export function readPurpose(headers: Headers): string | null {
  return (
    headers.get("sec-purpose") ?? headers.get("purpose") ?? headers.get("x-purpose") ?? headers.get("x-moz")
  );
}

/** Whether a request is a form that a browser sends: the only POST that a link may answer. */
export function isForm({ method, headers }: Pick<RequestContext, "method" | "headers">): boolean {
  return (
    method === "POST" && /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "")
  );
}
