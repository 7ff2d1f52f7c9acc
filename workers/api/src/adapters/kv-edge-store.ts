/** KV as the edge reads it: the record under the link's address, with what `cache-status` wants to know beside it. */
import { fitsKvKey } from "@hopline/core/link-address";
import type { EdgeStore } from "../publishing/edge-ports.ts";

export function createKvEdgeStore(namespace: KVNamespace, nowMs: () => number): EdgeStore {
  return {
    async write({ key, version, recordText }) {
      // An address that is too long for KV is looked up in Postgres; see fitsKvKey.
      if (fitsKvKey(key)) {
        await namespace.put(key, recordText, { metadata: { version, writtenAtMs: nowMs() } });
      }
    },
  };
}
