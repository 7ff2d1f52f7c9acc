/**
 * Who pays for addresses that do not exist: the network that asks for them, by Cloudflare's rate-limit binding (per
 * location, eventually consistent; the numbers are in wrangler.jsonc). Keyed by the truncated network: the binding never
 * gets an address.
 *
 * The binding can only count, not be asked. So it is told of an absence after the database has said so, and where it
 * answers "too many", the isolate remembers the network for one period. An office that opens a campaign with a few
 * mistyped links is no scan: each twenty links that the database has pay for one that it does not have.
 */
import { setLatest } from "@hopline/edge-cache/set-latest";
import type { MissLimit } from "../ports.ts";

/** The period of MISS_LIMIT in wrangler.jsonc. */
const LIMITED_FOR_MS = 10_000;

/** The oldest is forgotten first: a scan from thousands of networks is bounded by the isolate's own budget. */
const MAX_NETWORKS = 1_024;

const HITS_PER_MISS = 20;

/** A network saves up for no more than this: after a crowd comes a scanner. */
const MAX_HITS = 20 * HITS_PER_MISS;

/** The isolate's, by network. */
export type NetworkNotes = {
  /** Until when it is rate-limited, epoch milliseconds. */
  readonly limitedUntilMs: Map<string, number>;
  /** Addresses that it asked for and that the database has, less those that paid for an absence. */
  readonly hits: Map<string, number>;
};

/** Without a binding, or without an address, no one is rate-limited. */
export function createMissLimit(
  binding: RateLimit | undefined,
  { limitedUntilMs, hits }: NetworkNotes,
  nowMs: () => number,
): MissLimit {
  return {
    isRateLimited: (network) => network !== null && (limitedUntilMs.get(network) ?? 0) > nowMs(),
    async charge(network) {
      if (binding === undefined || network === null) {
        return;
      }
      const found = hits.get(network) ?? 0;
      if (found >= HITS_PER_MISS) {
        setLatest(hits, [network, found - HITS_PER_MISS], MAX_NETWORKS);
        return;
      }
      const { success } = await binding.limit({ key: network });
      if (success === false) {
        setLatest(limitedUntilMs, [network, nowMs() + LIMITED_FOR_MS], MAX_NETWORKS);
      }
    },
    credit(network) {
      if (network !== null) {
        setLatest(hits, [network, Math.min(MAX_HITS, (hits.get(network) ?? 0) + 1)], MAX_NETWORKS);
      }
    },
  };
}
