/**
 * Answers for a link that was found. A plain one takes no look at the visitor and no promise; what a smart one needs
 * (a cookie, a form, a preview) is in answer-smart.ts.
 */
import { clickDetail } from "@hopline/core/click-detail";
import { buildDestination } from "@hopline/core/destination/destination";
import type { LinkRecord } from "@hopline/core/link-record";
import { type PlainOutcome, plainOutcome, type Redirect } from "@hopline/core/plain-outcome";
import type { AnswerTier } from "@hopline/edge-cache/read-through-events";
import { answerEnded, answerPage, answerUnknown } from "./answer-without-link.ts";
import type { LinkExchange } from "./exchange.ts";
import { nameOfError } from "./log.ts";
import { BLOCKED, PASSWORD_NEEDED, USED_UP } from "./pages.ts";
import { readClick } from "./read-click.ts";
import {
  GONE_PAGES,
  respondFallback,
  respondMethodNotAllowed,
  respondRedirect,
  respondUnavailable,
} from "./respond.ts";

/** A link in hand: its record, where that came from, who asks. */
export type Found = {
  readonly record: LinkRecord;
  readonly tier: AnswerTier;
  readonly exchange: LinkExchange;
};

/** Most links end here, without a promise. What takes a look at the visitor is loaded when the first link needs it. */
export function answerLink(found: Found): Response | Promise<Response> {
  const { record, exchange } = found;
  const { password } = record;
  if (exchange.request.method === "POST" && password === undefined) {
    return respondMethodNotAllowed(exchange.request);
  }
  const outcome = plainOutcome(record, exchange.deps.nowMs());
  return outcome === null
    ? import("./answer-smart.ts").then(({ answerSmart }) => answerSmart(found))
    : settle(outcome, found);
}

/** Answers with an outcome that is no preview. */
export function settle(outcome: PlainOutcome, found: Found): Response | Promise<Response> {
  const { record, exchange, tier } = found;
  switch (outcome.kind) {
    case "redirect":
      return record.cap?.mode === "strict" ? departIfGranted(outcome, found) : depart(outcome, found);
    case "gone":
      return outcome.endedUrl === null
        ? answerEnded(exchange, GONE_PAGES[outcome.why], tier)
        : respondFallback(outcome.endedUrl, exchange.request, tier);
    case "blocked":
      return answerPage(exchange, BLOCKED, { tier });
    case "password-required":
      return answerPage(exchange, PASSWORD_NEEDED, { tier });
    case "not-started":
    case "unknown":
      return answerUnknown(exchange, tier);
  }
}

/** A strict cap is asked first, and where it can't say, nobody goes on. */
async function departIfGranted(outcome: Redirect, found: Found): Promise<Response> {
  const { record, exchange, tier } = found;
  let isGranted: boolean;
  try {
    isGranted = await exchange.deps.caps.claim(record.linkId);
  } catch (error) {
    exchange.deps.log({ event: "cap.claim_failed", reason: nameOfError(error) });
    return respondUnavailable(exchange.request);
  }
  if (isGranted) {
    return depart(outcome, found);
  }
  return record.endedUrl === undefined
    ? answerEnded(exchange, USED_UP, tier)
    : respondFallback(record.endedUrl, exchange.request, tier);
}

function depart(outcome: Redirect, found: Found): Response {
  const { record, tier, exchange } = found;
  const { request, query } = exchange;
  const location =
    record.forward === undefined && record.utmQuery === undefined
      ? outcome.url
      : buildDestination(outcome.url, {
          utmQuery: record.utmQuery ?? "",
          forward: record.forward ?? "none",
          visitorQuery: query,
        });
  recordClick(found, { outcome, location });
  const status = request.method === "POST" ? 303 : outcome.status;
  return respondRedirect({ location, status, isKept: isSameForAll(record) }, request, tier);
}

/** No visitor, no clock and no count changes where it leads. */
function isSameForAll({ rules, split, next, password, cap, startsAtMs, expiresAtMs }: LinkRecord): boolean {
  return (
    rules === undefined &&
    split === undefined &&
    next === undefined &&
    password === undefined &&
    cap === undefined &&
    startsAtMs === undefined &&
    expiresAtMs === undefined
  );
}

type Leaving = { readonly outcome: Redirect; readonly location: string };

/** A click that cannot be taken in is our loss; the visitor is redirected all the same. */
export function recordClick({ record, exchange }: Found, leaving: Leaving | null): void {
  const { request, query, deps, visit } = exchange;
  try {
    const detail = leaving === null ? null : clickDetail({ ...leaving, ownUrl: record.url, query });
    deps.clicks.record(readClick(request, { record, clickedAtMs: deps.nowMs(), detail }), visit.defer);
  } catch (error) {
    deps.log({ event: "click.crashed", reason: nameOfError(error) });
  }
}
