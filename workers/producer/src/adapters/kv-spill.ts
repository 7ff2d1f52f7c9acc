/** The spill: a KV namespace of its own, so that listing it finds segments only. */
import type { SegmentSpill } from "../ports.ts";

export function createKvSpill(namespace: KVNamespace): SegmentSpill {
  return {
    async put(key, sealedSegment) {
      await namespace.put(key, sealedSegment);
    },
  };
}
