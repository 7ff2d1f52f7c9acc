/**
 * Answers for a link that was found. A plain one takes no look at the visitor and no promise; what another one needs is
 * loaded with the first of its kind (lazy-parts.ts).
 */
import type { LinkRecord } from "@hopline/core/link-record";
import { type PlainOutcome, plainOutcome, type Redirect } from "@hopline/core/plain-outcome";
import type { ClickDetail } from "@hopline/core/click-detail";
import type { AnswerTier } from "@hopline/edge-cache/read-through-events";
import type { LinkExchange } from "./exchange.ts";
import { withLimits, withPages, withQueries, withVisitors } from "./lazy-parts.ts";
import { nameOfError } from "./log.ts";
import { readClick } from "./read-click.ts";
import { respondRedirect } from "./respond.ts";

/** A link in hand: its record, where that came from, who asks. */
export type Found = {
  readonly record: LinkRecord;
  readonly tier: AnswerTier;
  /** When it was found, epoch milliseconds: the moment that decides, and the time of the click. */
  readonly nowMs: number;
  readonly exchange: LinkExchange;
};

/** Most links end here, without a promise. */
export function answerLink(found: Found): Response | Promise<Response> {
  const { record, nowMs, exchange } = found;
  const { request, method } = exchange;
  if (method === "POST" && record.password === undefined) {
    return withPages(({ respondMethodNotAllowed }) => respondMethodNotAllowed(request));
  }
  const outcome = plainOutcome(record, nowMs);
  return outcome === null ? withVisitors(({ answerSmart }) => answerSmart(found)) : settle(outcome, found);
}

/** Answers with an outcome that is no preview. */
export function settle(outcome: PlainOutcome, found: Found): Response | Promise<Response> {
  if (outcome.kind !== "redirect") {
    return withLimits(({ answerClosed }) => answerClosed(outcome, found));
  }
  return found.record.cap?.mode === "strict"
    ? withLimits(({ departIfGranted }) => departIfGranted(outcome, found))
    : depart(outcome, found);
}

/** Sends the visitor on their way. */
export function depart(outcome: Redirect, found: Found): Response | Promise<Response> {
  return isDirect(outcome, found)
    ? leave(outcome, found, { location: outcome.url, detail: null })
    : withQueries(({ buildDeparture }) =>
        leave(outcome, found, buildDeparture(outcome, found.record, found.exchange.query)),
      );
}

/** To the link's own destination, with nothing to add to it and nothing to say of it. */
function isDirect({ url, ruleId, variantId }: Redirect, { record, exchange: { query } }: Found): boolean {
  return (
    url === record.url &&
    ruleId === null &&
    variantId === null &&
    record.forward === undefined &&
    record.utmQuery === undefined &&
    !url.includes("utm_") &&
    !query.includes("utm_")
  );
}

/** Where a visitor is sent, and what a smart link adds to the click. */
export type Departure = { readonly location: string; readonly detail: ClickDetail | null };

function leave(outcome: Redirect, found: Found, { location, detail }: Departure): Response {
  const { record, tier, exchange } = found;
  recordClick(found, detail);
  const status = exchange.method === "POST" ? 303 : outcome.status;
  return respondRedirect({ location, status, isKept: isSameForAll(record) }, exchange.request, tier);
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

/** A click that cannot be taken in is our loss; the visitor is redirected all the same. */
export function recordClick({ record, nowMs, exchange }: Found, detail: ClickDetail | null): void {
  const { deps, visit } = exchange;
  try {
    deps.clicks.record(readClick(exchange, { record, clickedAtMs: nowMs, detail }), visit.defer);
  } catch (error) {
    deps.log({ event: "click.crashed", reason: nameOfError(error) });
  }
}
