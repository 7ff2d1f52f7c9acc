/** The KV tier: published records under the link's address. */
import { fitsKvKey, type LinkKey } from "@hopline/core/link-address";
import type { FillableTier } from "@hopline/edge-cache/read-through-ports";

/** How long a data centre keeps what it read, in seconds (KV's own default; the least is 30). */
const KV_CACHE_TTL_SECONDS = 60;

/**
 * KV has no conditional write, so a back-fill may overtake a publish that happens in the same moment and leave an older
 * record behind. It therefore ends by itself, in seconds; what the API publishes stays.
 */
const BACK_FILL_TTL_SECONDS = 3_600;

export function createKvLinks(namespace: KVNamespace): FillableTier<LinkKey> {
  return {
    async load(key) {
      return fitsKvKey(key) ? namespace.get(key, { type: "text", cacheTtl: KV_CACHE_TTL_SECONDS }) : null;
    },
    async fill(key, recordText) {
      if (fitsKvKey(key)) {
        await namespace.put(key, recordText, { expirationTtl: BACK_FILL_TTL_SECONDS });
      }
    },
  };
}
