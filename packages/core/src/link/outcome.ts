/**
 * What a visitor gets for a link that was found. Pure: the same record, visitor and instant have the same outcome in
 * every data centre and in the API's own explanations. Order: state, schedule, cap, password, preview, rules. Whether a
 * strict cap still grants the redirect is asked of the database afterwards, by whoever answers.
 */
import type { LinkRecord } from "./link-record.ts";
import { type Outcome, standingOutcome } from "./plain-outcome.ts";
import { evaluate } from "../rules/evaluate/evaluate.ts";
import type { Visitor } from "../rules/evaluate/visitor.ts";

/** What a decision may ask about a visit. Functions are called only where the link makes it matter. */
export type Visit = {
  readonly nowMs: number;
  readonly visitor: () => Visitor;
  /** Whether the link's password has been given. */
  readonly isUnlocked: () => boolean;
  /** Whether a social network asks, for what to show of the link. */
  readonly isSocialCrawler: () => boolean;
};

/** Decides what a found link answers. A tombstone is as unknown as a slug that never was. */
export function decideOutcome(record: LinkRecord, visit: Visit): Outcome {
  const early = standingOutcome(record, visit.nowMs);
  if (early !== null) {
    return early;
  }
  if (record.password !== undefined && !visit.isUnlocked()) {
    return { kind: "password-required" };
  }
  if (record.openGraph !== undefined && visit.isSocialCrawler()) {
    return { kind: "preview", openGraph: record.openGraph, url: record.url };
  }
  const decision = evaluate(record, visit.visitor());
  if (decision.kind === "blocked") {
    return decision;
  }
  const { url, ruleId, variantId } = decision;
  return { kind: "redirect", url, status: record.redirectStatus, ruleId, variantId };
}
