/** The KV tier: published records under the link's address. Its one writer is the API's publisher. */
import { fitsKvKey, type LinkKey } from "@hopline/core/link/link-address";
import type { PublishedTier } from "@hopline/edge-cache/read-through-ports";

/** A data centre keeps what it read for 60 s, which is KV's default; each option that is named costs on every read. */
export function createKvLinks(namespace: KVNamespace): PublishedTier<LinkKey> {
  return { load: (key) => (fitsKvKey(key) ? namespace.get(key) : Promise.resolve(null)) };
}
