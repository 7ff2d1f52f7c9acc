/** The redirect, from request to response, on one screen. Pure flow over ports; the entry supplies them. */
import { linkKeyOf, parseSlug, splitRequestUrl } from "@hopline/core/link-address";
import { decideOutcome } from "@hopline/core/outcome";
import type { ClickSink, Defer, LinkDirectory } from "./ports.ts";
import { readClick } from "./read-click.ts";
import { respondMethodNotAllowed, respondOutcome, respondUnavailable, respondUnknown } from "./respond.ts";
import { respondWellKnown } from "./well-known.ts";

export type RedirectDeps = {
  readonly links: LinkDirectory;
  readonly clicks: ClickSink;
  /** Answers everything under `/api`. */
  readonly forwardToApi: (request: Request) => Promise<Response>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
};

export async function handleRequest(request: Request, deps: RedirectDeps, defer: Defer): Promise<Response> {
  const { host, path } = splitRequestUrl(request.url);
  if (path === "/api" || path.startsWith("/api/")) {
    return deps.forwardToApi(request);
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return respondMethodNotAllowed(request);
  }
  const wellKnown = respondWellKnown(path, request);
  if (wellKnown !== null) {
    return wellKnown;
  }
  const slug = parseSlug(path);
  if (slug === null) {
    return respondUnknown(request);
  }
  const found = await deps.links.find(linkKeyOf(host, slug));
  if (!found.ok) {
    return respondUnavailable(request);
  }
  const { record, tier } = found.value;
  if (record === null) {
    return respondUnknown(request, tier);
  }
  const outcome = decideOutcome(record);
  if (outcome.kind === "redirect") {
    deps.clicks.record(readClick(request, record, deps.nowMs()), defer);
  }
  return respondOutcome(outcome, request, tier);
}
