/** The KV tier: published records under the link's address. */
import { FEED_MEMORY_MS } from "@hopline/core/feed/change-page";
import { fitsKvKey, type LinkKey } from "@hopline/core/link/link-address";
import type { PublishedTier } from "@hopline/edge-cache/read-through-ports";

/** A data centre keeps what it read for 60 s, which is KV's default; each option that is named costs on every read. */
export const KV_CACHE_SECONDS = 60;

/**
 * KV has no conditional write, so a back-fill may land after a publish that happens in the same moment and leave an older
 * record behind. It must be gone from every data centre while the change feed still remembers the publish, which outranks
 * it; a minute of that is left for a back-fill that is slow to land. What the API publishes stays.
 */
export const BACK_FILL_TTL_SECONDS: number = FEED_MEMORY_MS / 1_000 - 2 * KV_CACHE_SECONDS;

export function createKvLinks(
  namespace: KVNamespace,
  { backFillsKv }: { readonly backFillsKv: boolean },
): PublishedTier<LinkKey> {
  return {
    load: (key) => (fitsKvKey(key) ? namespace.get(key) : Promise.resolve(null)),
    async fill(key, recordText) {
      if (backFillsKv && fitsKvKey(key)) {
        await namespace.put(key, recordText, { expirationTtl: BACK_FILL_TTL_SECONDS });
      }
    },
  };
}
