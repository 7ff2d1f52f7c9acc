/**
 * Who pays for addresses that do not exist: the network that asks for them, by Cloudflare's rate-limit binding (per
 * location, eventually consistent; the numbers stand in wrangler.jsonc). Keyed by the truncated network: no address is
 * handed to anybody.
 *
 * The binding can only count, not be asked. So an absence is counted after the database has said so, and when the binding
 * answers "too many", the isolate remembers the network for one period.
 */
import type { MissLimit } from "../ports.ts";

/** The period of MISS_LIMIT in wrangler.jsonc. */
const PENALTY_MS = 10_000;

/** The oldest is forgotten first: a scan from thousands of networks is bounded by the isolate's own budget. */
const MAX_NETWORKS = 1_024;

export type Penalties = Map<string, number>;

/** @param penalties by network, until when; the isolate's. Without a binding, or without an address, no penalty applies. */
export function createMissLimit(
  binding: RateLimit | undefined,
  penalties: Penalties,
  nowMs: () => number,
): MissLimit {
  return {
    isInPenalty: (network) => network !== null && (penalties.get(network) ?? 0) > nowMs(),
    async charge(network) {
      if (binding === undefined || network === null) {
        return;
      }
      const { success } = await binding.limit({ key: network });
      if (success === false) {
        penalties.delete(network);
        penalties.set(network, nowMs() + PENALTY_MS);
        for (const oldest of penalties.keys()) {
          if (penalties.size <= MAX_NETWORKS) {
            break;
          }
          penalties.delete(oldest);
        }
      }
    },
  };
}
