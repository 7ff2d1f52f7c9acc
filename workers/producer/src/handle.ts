/**
 * The redirect, from request to response: find the link, answer, count. A plain link that the isolate holds is answered by
 * one synchronous function; everything else is awaited.
 */
import { nameOfError } from "@hopline/edge-cache/with-timeout";
import type { ReportedTier } from "@hopline/core/click/edge-report";
import { answerLink, loadFallbacks, redirectPlainly } from "./answer/answer-link.ts";
import { respondMethodNotAllowed, respondRefused, respondUnavailable } from "./answer/respond-page.ts";
import { findForwarded, findLink, type FoundLink } from "./find/find-link.ts";
import { getDomain, applyDomain } from "./find/apply-domain.ts";
import type { Defer, RedirectDeps } from "./ports.ts";
import { isForm, readRequest, type RequestContext } from "./request-context.ts";

export function handleRequest(
  request: Request,
  deps: RedirectDeps,
  defer: Defer,
): Response | Promise<Response> {
  if (isForApi(request.url)) {
    deps.clicks.sendOverdue(defer);
    return forward(request, deps);
  }
  const context = readRequest(request, deps, defer);
  const held = getHeld(context);
  return redirectHeld(held, context) ?? handle(held, context);
}

/** What the isolate holds of the link, if it may trust that without a look into the change feed. */
function getHeld({ key, visit, startedAtMs, deps }: RequestContext): Held {
  return key === null || visit.announced !== null ? undefined : deps.links.get(key, startedAtMs, visit);
}

type Held = ReturnType<RedirectDeps["links"]["get"]>;

function redirectHeld(entry: Held, context: RequestContext): Response | null {
  const { method, startedAtMs, deps } = context;
  if (entry?.kind !== "live" || "domainId" in entry.value || (method !== "GET" && method !== "HEAD")) {
    return null;
  }
  const record = applyDomain(entry.value, getDomain(context));
  if (record === null) {
    return null;
  }
  const tier = startedAtMs < entry.freshUntilMs ? "isolate" : "stale";
  const response = redirectPlainly({ record, tier, nowMs: startedAtMs }, context);
  if (response !== null) {
    // Nothing was waited for: the answer is there in the instant in which the request came.
    deps.answers.count({ status: response.status, tier, nowMs: startedAtMs }, context);
  }
  return response;
}

async function handle(held: Held, context: RequestContext): Promise<Response> {
  const { request, method, key, deps, visit } = context;
  deps.clicks.sendOverdue(visit.defer);
  if (method !== "GET" && method !== "HEAD" && !isForm(context)) {
    return respondMethodNotAllowed(request);
  }
  const found = await (key === null ? findForwarded(context, true) : findLink(context, key, held));
  const response = await (found === null ? answerNoLink(null, context) : answer(found, context));
  const tier: ReportedTier = found !== null && "tier" in found ? found.tier : "none";
  deps.answers.count({ status: response.status, tier, nowMs: deps.nowMs() }, context);
  return response;
}

function answer(found: FoundLink, context: RequestContext): Response | Promise<Response> {
  const { request, deps } = context;
  switch (found.kind) {
    case "link":
      return answerLink(
        { record: found.record, tier: found.tier, rest: found.rest, nowMs: deps.nowMs() },
        context,
      );
    case "unknown":
      return answerNoLink(found, context);
    case "refused":
      return respondRefused(request, found.reason);
    case "unavailable":
      return respondUnavailable(request);
  }
}

async function answerNoLink(
  found: Extract<FoundLink, { kind: "unknown" }> | null,
  context: RequestContext,
): Promise<Response> {
  const { answerOddPath, answerUnknown } = await loadFallbacks();
  return found === null ? answerOddPath(context) : answerUnknown(context, found.tier);
}

function isForApi(url: string): boolean {
  const pathStart = url.indexOf("/", url.indexOf("://") + 3);
  // Of most addresses nothing is cut for this.
  return url.startsWith("/api", pathStart) && /^\/api(?:[/?]|$)/.test(url.slice(pathStart, pathStart + 5));
}

/** The API sets its own limits of time (an export may stream for minutes), so none is set here. */
async function forward(request: Request, { forwardToApi, log }: RedirectDeps): Promise<Response> {
  try {
    return await forwardToApi(request);
  } catch (error) {
    log({ event: "api.unreachable", reason: nameOfError(error) });
    return respondUnavailable(request, "api_unavailable");
  }
}
