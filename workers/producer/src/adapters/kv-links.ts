/** The KV tier: published records under the link's address. */
import { fitsKvKey, type LinkKey } from "@hopline/core/link-address";
import type { FillableLinkTier } from "../ports.ts";

/** How long a data centre keeps what it read, in seconds (KV's own default; the least is 30). */
const KV_CACHE_TTL_SECONDS = 60;

export function createKvLinks(namespace: KVNamespace): FillableLinkTier {
  return {
    async load(key: LinkKey): Promise<string | null> {
      return fitsKvKey(key) ? namespace.get(key, { type: "text", cacheTtl: KV_CACHE_TTL_SECONDS }) : null;
    },
    async fill(key: LinkKey, recordText: string): Promise<void> {
      if (fitsKvKey(key)) {
        await namespace.put(key, recordText);
      }
    },
  };
}
