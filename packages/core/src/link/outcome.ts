/**
 * What a link that was found answers. Pure: the same record, visitor and instant have the same outcome in every data centre
 * and in the API's own explanations. Order: state, schedule, cap, password, rules, preview. Whether a strict cap grants
 * the redirect asks the database afterwards.
 */
import type { OpenGraph } from "./link-extras.ts";
import type { UnversionedLink, RedirectStatus } from "./link-record.ts";
import { evaluate, fixedUrl } from "../rules/evaluate/evaluate.ts";
import type { Visitor } from "../rules/evaluate/visitor.ts";

export type Outcome =
  | {
      readonly kind: "redirect";
      /** Before the link's UTM parameters and the visitor's query are joined to it. */
      readonly url: string;
      /** What `url` was before its placeholders were filled; absent where it has none. */
      readonly template?: string;
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
  /** `url`: the destination, where the page may show it; `null` where the link withholds it from programs. */
  | { readonly kind: "preview"; readonly openGraph: OpenGraph; readonly url: string | null }
  | { readonly kind: "unknown" };

export type GoneReason = "disabled" | "expired" | "used-up";
export type Redirect = Extract<Outcome, { kind: "redirect" }>;

/** What a decision may ask about a visit. Functions are called only where the link makes it matter. */
export type Visit = {
  readonly nowMs: number;
  readonly visitor: () => Visitor;
  /** Whether the link's password has been given. */
  readonly isUnlocked: () => boolean;
  /** Whether a social network asks, for what to show of the link. */
  readonly isSocialCrawler: () => boolean;
  /** `fillPlaceholders` of a link that has some, with what followed its slug. */
  readonly fill: (url: string, visitor: Visitor) => string | null;
};

/**
 * The outcome of a link that is the same for every visitor at this instant, or `null` when it takes a visitor to say: then ask
 * `decideOutcome`.
 */
export function plainOutcome(record: UnversionedLink, nowMs: number): Outcome | null {
  const closed = closedOutcome(record, nowMs);
  if (closed !== null) {
    return closed;
  }
  if (
    record.password !== undefined ||
    record.openGraph !== undefined ||
    record.isFilled ||
    isGuarded(record)
  ) {
    return null;
  }
  const url = fixedUrl(record, nowMs);
  return url === null
    ? null
    : { kind: "redirect", url, status: record.redirectStatus, ruleId: null, variantId: null };
}

/** Decides what a found link answers. A tombstone is as unknown as a slug that never was. */
export function decideOutcome(record: UnversionedLink, visit: Visit): Outcome {
  const closed = closedOutcome(record, visit.nowMs);
  if (closed !== null) {
    return closed;
  }
  if (record.password !== undefined && !visit.isUnlocked()) {
    return { kind: "password-required" };
  }
  const visitor = visit.visitor();
  const decision = evaluate(record, visitor);
  if (decision.kind === "blocked") {
    return decision;
  }
  const { url: template, ruleId, variantId } = decision;
  const url = record.isFilled ? visit.fill(template, visitor) : template;
  if (url === null) {
    return { kind: "unknown" };
  }
  if ((record.openGraph !== undefined || isGuarded(record)) && visit.isSocialCrawler()) {
    return { kind: "preview", openGraph: record.openGraph ?? {}, url: isGuarded(record) ? null : url };
  }
  const redirect = { kind: "redirect", url, status: record.redirectStatus, ruleId, variantId } as const;
  return record.isFilled ? { ...redirect, template } : redirect;
}

/**
 * Whether a link counts its uses or chooses its visitors. Programs that only look at it (HEAD, prefetch, social networks)
 * neither take a use of such a link nor learn where it leads.
 */
export function isGuarded({ cap, rules }: UnversionedLink): boolean {
  return cap !== undefined || rules !== undefined;
}

/** Why the link is not open, or `null`. Compared with the clock on every redirect, so a cached link ends on time. */
function closedOutcome(record: UnversionedLink, nowMs: number): Outcome | null {
  if (record.state !== "live") {
    return record.state === "deleted" ? { kind: "unknown" } : gone("disabled", record);
  }
  // An expiry before the start cannot be written; were it read, "expired" is the final word.
  if (record.expiresAtMs !== undefined && nowMs >= record.expiresAtMs) {
    return gone("expired", record);
  }
  if (record.startsAtMs !== undefined && nowMs < record.startsAtMs) {
    return { kind: "not-started" };
  }
  return record.cap?.isUsedUp === true ? gone("used-up", record) : null;
}

function gone(why: GoneReason, { endedUrl }: UnversionedLink): Outcome {
  return { kind: "gone", why, endedUrl: endedUrl ?? null };
}
