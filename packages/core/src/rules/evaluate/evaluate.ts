/**
 * The one evaluator of smart links: used by the redirect at the edge and, through explain.ts, by the API's resolve. Pure:
 * the same link, visitor and instant have the same answer in every isolate. Validates nothing, never throws; what is in
 * a record was checked when it was written.
 */
import { matches } from "./match.ts";
import type { SmartLink, SmartRule, Variant } from "../rule.ts";
import { pickVariant } from "./split.ts";
import type { Visitor } from "./visitor.ts";

export type Decision =
  | {
      readonly kind: "destination";
      readonly url: string;
      /** The rule that matched; `null` for the default destination. */
      readonly ruleId: string | null;
      /** The arm of the split that was drawn; `null` where there was none. */
      readonly variantId: string | null;
    }
  | { readonly kind: "blocked"; readonly ruleId: string };

/** Decides where `visitor` goes: the first matching rule, else the default destination. */
export function evaluate(link: SmartLink, visitor: Visitor): Decision {
  return decide(link, matchedRule(link, visitor), visitor);
}

export function matchedRule({ rules = [] }: SmartLink, visitor: Visitor): SmartRule | null {
  return rules.find(({ when }) => matches(when, visitor)) ?? null;
}

/** What follows from `rule`, or from its absence. */
export function decide(link: SmartLink, rule: SmartRule | null, visitor: Visitor): Decision {
  if (rule === null) {
    return decideDefault(link, visitor);
  }
  if ("url" in rule.to) {
    return { kind: "destination", url: rule.to.url, ruleId: rule.id, variantId: null };
  }
  if ("split" in rule.to) {
    return draw({ link, variants: rule.to.split, ruleId: rule.id }, visitor);
  }
  return { kind: "blocked", ruleId: rule.id };
}

/** The default destination at this instant, or `null`: a split draws it for each visitor. */
export function fixedUrl({ url, next, split }: SmartLink, nowMs: number): string | null {
  if (next !== undefined && nowMs >= next.activateAtMs) {
    return next.url;
  }
  return split === undefined ? url : null;
}

function decideDefault(link: SmartLink, visitor: Visitor): Decision {
  const url = fixedUrl(link, visitor.nowMs);
  return url === null
    ? draw({ link, variants: link.split ?? [], ruleId: null }, visitor)
    : { kind: "destination", url, ruleId: null, variantId: null };
}

type Draw = {
  readonly link: SmartLink;
  readonly variants: readonly Variant[];
  readonly ruleId: string | null;
};

function draw({ link, variants, ruleId }: Draw, visitor: Visitor): Decision {
  const key = { linkId: link.linkId, salt: ruleId ?? "" };
  const variant = pickVariant(variants, key, visitor.stickyKey());
  // An empty split is refused at write time and by the decoder; the default destination is the honest answer.
  return {
    kind: "destination",
    url: variant?.url ?? link.url,
    ruleId,
    variantId: variant?.id ?? null,
  };
}
