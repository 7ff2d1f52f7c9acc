/**
 * Answers for a link that was found. A plain one takes no look at the visitor and no promise; what another one needs is
 * loaded with the first of its kind (lazy-parts.ts).
 */
import { plainOutcome } from "@hopline/core/link/outcome";
import type { Found } from "./depart.ts";
import { withPages, withVisitors } from "./lazy-parts.ts";
import { settle } from "./settle-link.ts";

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
