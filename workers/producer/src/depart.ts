/** A visitor leaves for a destination, and the click is noted on the way. */
import type { ClickDetail } from "@hopline/core/click/click-detail";
import type { LinkRecord } from "@hopline/core/link/link-record";
import type { Redirect } from "@hopline/core/link/outcome";
import type { AnswerTier } from "@hopline/edge-cache/read-through-events";
import type { Departure } from "./build-departure.ts";
import type { LinkExchange } from "./exchange.ts";
import { withQueries } from "./lazy-parts.ts";
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

function leave(outcome: Redirect, found: Found, { location, detail }: Departure): Response {
  const { record, tier, exchange } = found;
  recordClick(found, detail);
  const status = exchange.method === "POST" ? 303 : outcome.status;
  return respondRedirect({ location, status, isKept: isSameForAll(record) }, exchange.headers, tier);
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
