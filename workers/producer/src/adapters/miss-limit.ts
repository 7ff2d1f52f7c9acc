/**
 * The misses of one visitor, by Cloudflare's rate-limit binding (per location, eventually consistent; the numbers stand
 * in wrangler.jsonc). Keyed by the truncated network: no address is handed to anybody.
 */
import type { MissLimit } from "../ports.ts";

/** Without a binding, or without an address, everything passes: the isolate's own caps still hold. */
export function createMissLimit(binding: RateLimit | undefined): MissLimit {
  return {
    async allows(network) {
      if (binding === undefined || network === null) {
        return true;
      }
      const { success } = await binding.limit({ key: network });
      return success !== false;
    },
  };
}
