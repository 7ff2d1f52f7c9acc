/**
 * Outcomes, and those of them that are the same for every visitor: state, schedule, a cap that is used up, and the redirect
 * of a plain link. What takes a visitor to decide is in outcome.ts, which most redirects never load.
 */
import { standing } from "./limits.ts";
import type { OpenGraph } from "./link-extras.ts";
import type { RedirectStatus } from "./link-basics.ts";
import type { LinkRecord } from "./link-record.ts";
import { plainUrl } from "../rules/evaluate/plain-url.ts";

export type Outcome =
  | {
      readonly kind: "redirect";
      /** Before the link's UTM parameters and the visitor's query are joined to it. */
      readonly url: string;
      readonly status: RedirectStatus;
      /** The rule that matched and the variant of a split that was drawn; `null`: none. */
      readonly ruleId: string | null;
      readonly variantId: string | null;
    }
  | { readonly kind: "blocked"; readonly ruleId: string }
  /** `endedUrl`: the link's own fallback. The domain may have another. */
  | { readonly kind: "gone"; readonly why: GoneReason; readonly endedUrl: string | null }
  | { readonly kind: "not-started" }
  | { readonly kind: "password-required" }
  | { readonly kind: "preview"; readonly openGraph: OpenGraph; readonly url: string }
  | { readonly kind: "unknown" };

/** Without the one that only a crawler gets. */
export type PlainOutcome = Exclude<Outcome, { kind: "preview" }>;
export type GoneReason = "disabled" | "expired" | "used-up";
export type Redirect = Extract<Outcome, { kind: "redirect" }>;

/**
 * The outcome of a link that is the same for everybody at this instant, or `null` when it takes a visitor to say: the
 * redirect then makes one for `decideOutcome`.
 */
export function plainOutcome(record: LinkRecord, nowMs: number): PlainOutcome | null {
  const early = standingOutcome(record, nowMs);
  if (early !== null) {
    return early;
  }
  if (record.password !== undefined || record.openGraph !== undefined) {
    return null;
  }
  const url = plainUrl(record, nowMs);
  return url === null
    ? null
    : { kind: "redirect", url, status: record.redirectStatus, ruleId: null, variantId: null };
}

/** What is settled before anybody is looked at. `null`: the link is open. */
export function standingOutcome(record: LinkRecord, nowMs: number): PlainOutcome | null {
  if (record.state !== "live") {
    return record.state === "deleted" ? { kind: "unknown" } : gone("disabled", record);
  }
  if (record.startsAtMs !== undefined || record.expiresAtMs !== undefined) {
    const now = standing(record, nowMs);
    if (now !== "open") {
      return now === "expired" ? gone("expired", record) : { kind: "not-started" };
    }
  }
  return record.cap?.isUsedUp === true ? gone("used-up", record) : null;
}

function gone(why: GoneReason, { endedUrl }: LinkRecord): PlainOutcome {
  return { kind: "gone", why, endedUrl: endedUrl ?? null };
}
