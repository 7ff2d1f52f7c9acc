/** Answers for a link that was found: redirect, preview, password, cap. */
import { nameOfError } from "@hopline/edge-cache/with-timeout";
import { clickDetail } from "@hopline/core/click/click-detail";
import { PREVIEW_MARK } from "@hopline/core/click/preview-mark";
import { buildDestination } from "@hopline/core/link/destination";
import type { LinkRecord } from "@hopline/core/link/link-record";
import {
  decideOutcome,
  type GoneReason,
  isGuarded,
  type Outcome,
  plainOutcome,
  type Redirect,
} from "@hopline/core/link/outcome";
import { readEdgeDevice } from "@hopline/core/rules/evaluate/edge-device";
import { createLocalTime, type LocalTime } from "@hopline/core/rules/evaluate/local-time";
import { createVisitor, type Place, type Visitor } from "@hopline/core/rules/evaluate/visitor";
import type { AnswerTier } from "@hopline/edge-cache/read-through-ports";
import { hasOptedOut, toText } from "../clicks/read-click.ts";
import { readNetwork, readPurpose, type RequestContext } from "../request-context.ts";
import type { PageCode } from "./page.ts";
import type { Preview } from "./pages/preview-page.ts";
import { NOT_STORED, respondRedirect } from "./respond-redirect.ts";
import { respondMethodNotAllowed, respondUnavailable } from "./respond-page.ts";

/** With the first that is needed: most isolates are asked for links. */
export const loadFallbacks = () => import("./fallbacks.ts");

export type LinkToAnswer = {
  readonly record: LinkRecord;
  readonly tier: AnswerTier;
  /** What followed the slug of a link that forwards it, as it stood in the path. */
  readonly rest?: string | undefined;
  /** When it was found, epoch milliseconds: the moment that decides, and the time of the click. */
  readonly nowMs: number;
};

/** The redirect of a link that is open and the same for every visitor; `null` for any other. GET and HEAD only. */
export function redirectPlainly(link: LinkToAnswer, context: RequestContext): Response | null {
  const outcome = plainOutcome(link.record, link.nowMs);
  return outcome?.kind === "redirect" ? redirect(outcome, link, context) : null;
}

export function answerLink(link: LinkToAnswer, context: RequestContext): Response | Promise<Response> {
  const { record } = link;
  if (record.password !== undefined) {
    return answerWithPassword(link, context);
  }
  return context.method === "POST"
    ? respondMethodNotAllowed(context.request)
    : (redirectPlainly(link, context) ?? decide(link, context, false));
}

/** Loaded with the first link that has a password: most isolates have none. */
async function answerWithPassword(link: LinkToAnswer, context: RequestContext): Promise<Response> {
  const { answerLocked } = await import("./password/answer-locked.ts");
  const { path } = context;
  // The cookie is for all that follows the slug.
  const ofSlug = { ...context, path: path.slice(0, path.length - (link.rest ?? "").length) };
  return answerLocked(link.record, ofSlug, (isUnlocked) => decide(link, context, isUnlocked));
}

async function decide(link: LinkToAnswer, context: RequestContext, isUnlocked: boolean): Promise<Response> {
  const { record, rest = "", nowMs } = link;
  // Most isolates have no link with placeholders.
  const placeholders = record.isFilled ? await import("@hopline/core/link/placeholders") : null;
  const outcome = decideOutcome(record, {
    nowMs,
    fill: (url, visitor) => placeholders?.fillPlaceholders(url, { rest, visitor }) ?? null,
    isUnlocked: () => isUnlocked,
    isSocialCrawler: () => PREVIEW_MARK.test((context.headers.get("user-agent") ?? "").slice(0, 512)),
    visitor: () => createVisitorOf(context, nowMs),
  });
  return answerOutcome(outcome, link, context);
}

/** A table of zone offsets: plain data, bounded, the same for every request. */
const localTime: LocalTime = createLocalTime();

/** What a rule may ask about a request, read only when one asks. */
function createVisitorOf({ request, headers, query }: RequestContext, nowMs: number): Visitor {
  return createVisitor({
    nowMs,
    query,
    localTime,
    readDevice: readEdgeDevice,
    header: (name) => headers.get(name),
    place: () => readPlace(request.cf, headers),
    stickyKey: () => `${readNetwork(headers) ?? ""} ${headers.get("user-agent") ?? ""}`,
  });
}

function readPlace(cf: RequestContext["request"]["cf"] = {}, headers: Headers): Place {
  return {
    country: toText(cf["country"]),
    continent: toText(cf["continent"]),
    regionCode: toText(cf["regionCode"]),
    // A click names the rule that matched, which would reveal the city of a visitor who has opted out.
    city: hasOptedOut(headers) ? null : toText(cf["city"]),
  };
}

function answerOutcome(
  outcome: Outcome,
  link: LinkToAnswer,
  context: RequestContext,
): Response | Promise<Response> {
  const { record, tier, nowMs } = link;
  const { deps } = context;
  switch (outcome.kind) {
    case "redirect":
      return isGuarded(record) ? redirectGuarded(outcome, link, context) : redirect(outcome, link, context);
    case "preview":
      // Of a link that counts its uses, no click either: a fast cap is counted by its clicks.
      if (!isGuarded(record)) {
        deps.clicks.record(context, { record, clickedAtMs: nowMs, detail: null });
      }
      return answerPreview(outcome, context.request, tier);
    case "gone":
      return answerGone(outcome.why, link, context);
    case "blocked":
      return answerWithPage(context, "link_blocked", tier);
    case "password-required":
      return answerWithPage(context, "password_required", tier);
    case "not-started":
    case "unknown":
      return loadFallbacks().then(({ answerUnknown }) => answerUnknown(context, tier));
  }
}

/** Loaded with the first: most isolates meet no social network that asks for a page of ours. */
async function answerPreview(preview: Preview, request: Request, tier: AnswerTier): Promise<Response> {
  const { respondPreview } = await import("./pages/preview-page.ts");
  return respondPreview(preview, request, tier);
}

/** Programs that only look at the link take no use of it and see no destination. A strict cap is asked before each redirect. */
async function redirectGuarded(
  outcome: Redirect,
  link: LinkToAnswer,
  context: RequestContext,
): Promise<Response> {
  const { request, method, headers, deps, visit } = context;
  if (method === "HEAD") {
    return new Response(null, { headers: NOT_STORED });
  }
  if (/prefetch|prerender|preview/i.test(readPurpose(headers) ?? "")) {
    // A browser that is refused a prefetch asks again when its user goes there.
    return new Response(null, { status: 503, headers: NOT_STORED });
  }
  if (link.record.cap?.mode !== "strict") {
    return redirect(outcome, link, context);
  }
  let isGranted: boolean;
  try {
    isGranted = await deps.caps.claim(link.record, visit);
  } catch (error) {
    deps.log({ event: "cap.claim_failed", reason: nameOfError(error) });
    return respondUnavailable(request);
  }
  return isGranted ? redirect(outcome, link, context) : answerGone("used-up", link, context);
}

async function answerGone(
  why: GoneReason,
  { record, tier }: LinkToAnswer,
  context: RequestContext,
): Promise<Response> {
  const { answerEnded } = await loadFallbacks();
  return answerEnded(context, why, { tier, endedUrl: record.endedUrl });
}

async function answerWithPage(context: RequestContext, code: PageCode, tier: AnswerTier): Promise<Response> {
  const { answerPage } = await loadFallbacks();
  return answerPage(context, code, { tier });
}

/** Sends the visitor to the destination, and notes the click. */
function redirect(outcome: Redirect, link: LinkToAnswer, context: RequestContext): Response {
  const { record, tier, nowMs } = link;
  const { query, deps } = context;
  const location = buildDestination(outcome.url, {
    utmQuery: record.utmQuery ?? "",
    forward: record.forward ?? "none",
    visitorQuery: query,
  });
  const detail = clickDetail({ outcome, location, ownUrl: record.url, query });
  deps.clicks.record(context, { record, clickedAtMs: nowMs, detail });
  const status = context.method === "POST" ? 303 : outcome.status;
  return respondRedirect({ location, status, isKept: isSameForAll(record) }, context.headers, tier);
}

/** No visitor, no clock and no count changes where it leads. */
function isSameForAll(record: LinkRecord): boolean {
  const { rules, split, next, password, cap, startsAtMs, expiresAtMs, isFilled } = record;
  return (
    rules === undefined &&
    split === undefined &&
    next === undefined &&
    password === undefined &&
    cap === undefined &&
    startsAtMs === undefined &&
    expiresAtMs === undefined &&
    isFilled === undefined
  );
}
