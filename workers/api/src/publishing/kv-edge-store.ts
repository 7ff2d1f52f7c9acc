/** KV as the edge reads it: the record under the link's address, with what `cache-status` shows as metadata. */
import { fitsKvKey } from "@hopline/core/link/link-address";
import { decodeLinkRecord } from "@hopline/core/link/link-record";
import type { EdgeStore } from "./edge-ports.ts";

export function createKvEdgeStore(namespace: KVNamespace, nowMs: () => number): EdgeStore {
  return {
    async write({ key, version, recordText }) {
      // An address too long for KV is looked up in Postgres; see fitsKvKey.
      if (fitsKvKey(key)) {
        await namespace.put(key, recordText, { metadata: { version, writtenAtMs: nowMs() } });
      }
    },
    async find(key) {
      if (!fitsKvKey(key)) {
        return null;
      }
      const { value, metadata } = await namespace.getWithMetadata(key, { type: "text", cacheTtl: 30 });
      const decoded = value === null ? null : decodeLinkRecord(value);
      return decoded === null || !decoded.ok
        ? null
        : { version: decoded.value.version, writtenAtMs: readWrittenAt(metadata) };
    },
  };
}

function readWrittenAt(metadata: unknown): number | null {
  return typeof metadata === "object" &&
    metadata !== null &&
    "writtenAtMs" in metadata &&
    typeof metadata.writtenAtMs === "number"
    ? metadata.writtenAtMs
    : null;
}
