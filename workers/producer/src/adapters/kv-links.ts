/** The KV tier: published records under the link's address. */
import { fitsKvKey, type LinkKey } from "@hopline/core/link/link-address";
import type { FillableTier } from "@hopline/edge-cache/read-through-ports";

/**
 * KV has no conditional write, so a back-fill may overtake a publish that happens in the same moment and leave an older
 * record behind. It therefore ends by itself, in seconds; what the API publishes stays.
 */
const BACK_FILL_TTL_SECONDS = 3_600;

/** A data centre keeps what it read for 60 s, which is KV's default; each option that is named costs on every read. */
export function createKvLinks(namespace: KVNamespace): FillableTier<LinkKey> {
  return {
    load: (key) => (fitsKvKey(key) ? namespace.get(key) : Promise.resolve(null)),
    async fill(key, recordText) {
      if (fitsKvKey(key)) {
        await namespace.put(key, recordText, { expirationTtl: BACK_FILL_TTL_SECONDS });
      }
    },
  };
}
