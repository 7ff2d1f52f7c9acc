/** Answers for a link that has ended, that blocks this visitor, or that counts its uses. */
import type { GoneReason, PlainOutcome, Redirect } from "@hopline/core/link/outcome";
import { depart, type Found } from "./depart.ts";
import { answerEnded, answerPage, answerUnknown } from "./answer-without-link.ts";
import { nameOfError } from "./log.ts";
import type { Page } from "./page.ts";
import { BLOCKED, DISABLED, EXPIRED, PASSWORD_NEEDED, USED_UP } from "./pages.ts";
import { respondFallback } from "./respond.ts";
import { respondUnavailable } from "./respond-page.ts";

const GONE_PAGES: Readonly<Record<GoneReason, Page>> = {
  disabled: DISABLED,
  expired: EXPIRED,
  "used-up": USED_UP,
};

export function answerClosed(
  outcome: Exclude<PlainOutcome, Redirect>,
  found: Found,
): Response | Promise<Response> {
  const { exchange, tier } = found;
  switch (outcome.kind) {
    case "gone":
      return answerGone(outcome.why, outcome.endedUrl, found);
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
export async function departIfGranted(outcome: Redirect, found: Found): Promise<Response> {
  const { record, exchange } = found;
  let isGranted: boolean;
  try {
    isGranted = await exchange.deps.caps.claim(record.linkId);
  } catch (error) {
    exchange.deps.log({ event: "cap.claim_failed", reason: nameOfError(error) });
    return respondUnavailable(exchange.request);
  }
  return isGranted ? depart(outcome, found) : answerGone("used-up", record.endedUrl ?? null, found);
}

function answerGone(why: GoneReason, endedUrl: string | null, found: Found): Response | Promise<Response> {
  const { exchange, tier } = found;
  return endedUrl === null
    ? answerEnded(exchange, GONE_PAGES[why], tier)
    : respondFallback(endedUrl, exchange.headers, tier);
}
