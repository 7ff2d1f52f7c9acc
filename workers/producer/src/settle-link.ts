/** From an outcome to an answer: most depart at once, the others are loaded with the first of their kind. */
import type { PlainOutcome } from "@hopline/core/link/outcome";
import { depart, type Found } from "./depart.ts";
import { withLimits } from "./lazy-parts.ts";

/** Answers with an outcome that is no preview. */
export function settle(outcome: PlainOutcome, found: Found): Response | Promise<Response> {
  if (outcome.kind !== "redirect") {
    return withLimits(({ answerClosed }) => answerClosed(outcome, found));
  }
  return found.record.cap?.mode === "strict"
    ? withLimits(({ departIfGranted }) => departIfGranted(outcome, found))
    : depart(outcome, found);
}
