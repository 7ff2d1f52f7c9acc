/**
 * Answers for a link that takes a look at the visitor: rules, split, password, Open Graph.
 */
import { decideOutcome } from "@hopline/core/link/outcome";
import { type Found, recordClick } from "./depart.ts";
import { answerLocked } from "./password/answer-locked.ts";
import { respondPreview } from "./preview-page.ts";
import { settle } from "./settle-link.ts";
import { readVisit } from "./visit-facts.ts";

export function answerSmart(found: Found): Response | Promise<Response> {
  const { password } = found.record;
  return password === undefined
    ? decideForVisitor(found, false)
    : answerLocked(found, password, (isUnlocked) => decideForVisitor(found, isUnlocked));
}

function decideForVisitor(found: Found, isUnlocked: boolean): Response | Promise<Response> {
  const { record, tier, nowMs, exchange } = found;
  const { request, query } = exchange;
  const outcome = decideOutcome(record, readVisit(request, { query, nowMs, isUnlocked }));
  if (outcome.kind === "preview") {
    recordClick(found, null);
    return respondPreview(outcome, request, tier);
  }
  return settle(outcome, found);
}
