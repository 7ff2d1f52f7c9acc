/**
 * Weighted split, sticky without a cookie: the same visitor of the same split always gets the same variant, in every
 * isolate, because the choice is a hash of (link, split, visitor) and nothing else.
 *
 * Weighted rendezvous hashing: each variant draws its own number for the visitor and the best weighted draw wins. A
 * changed weight or a new variant then moves only the visitors that must move, where one bucket over cumulated
 * weights would reshuffle most of them. It costs a few extra multiplications and one logarithm per variant (at most
 * ten), under a microsecond, and only for a link that has a split.
 * Source: Schindelhauer and Schomaker, "Weighted distributed hash tables" (2005), logarithmic method.
 */
import { finalise32, hash32 } from "./hash32.ts";
import type { Variant } from "../rule.ts";

/** Says which split: two splits of one link share out their visitors independently. */
export type SplitKey = {
  readonly linkId: string;
  /** The rule's id; empty for the split of the default destination. */
  readonly salt: string;
};

/**
 * Picks the visitor's variant. `null` only for an empty list. `stickyKey` is whatever identifies the visitor here
 * (truncated address and user agent); who changes either may change variant.
 */
export function pickVariant(variants: readonly Variant[], key: SplitKey, stickyKey: string): Variant | null {
  const visitorHash = hash32(stickyKey, hash32(key.salt, hash32(key.linkId, 0)));
  let best: Variant | null = null;
  let bestScore = Infinity;
  for (const variant of variants) {
    const draw = (finalise32(visitorHash ^ hash32(variant.id, 0)) + 0.5) / 2 ** 32;
    // -ln(draw) is an exponential waiting time; divided by the weight, the shortest wait wins its fair share.
    const score = -Math.log(draw) / variant.weight;
    if (score < bestScore) {
      best = variant;
      bestScore = score;
    }
  }
  return best;
}
