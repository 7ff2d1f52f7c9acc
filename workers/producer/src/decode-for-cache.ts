/** What a published text means to the isolate cache. Plain links are read on the spot; the rest takes a lazy part. */
import { decodePlainLinkRecord } from "@hopline/core/link/link-basics";
import type { Decoded } from "@hopline/edge-cache/read-through-ports";
import { type EdgeRecord, isDomain } from "./edge-record.ts";
import { withRecordReader } from "./lazy-parts.ts";

/** Total: never throws, and the promise, if there is one, never rejects. */
export function decodeForCache(text: string): Decoded<EdgeRecord> | Promise<Decoded<EdgeRecord>> {
  const plain = decodePlainLinkRecord(text);
  return plain === null
    ? withRecordReader(({ decodeEdgeRecord }): Decoded<EdgeRecord> => {
        const decoded = decodeEdgeRecord(text);
        return decoded.ok ? toDecoded(decoded.value, text) : { kind: "rejected", field: decoded.error.field };
      })
    : toDecoded(plain, text);
}

function toDecoded(value: EdgeRecord, text: string): Decoded<EdgeRecord> {
  return !isDomain(value) && value.state === "deleted"
    ? { kind: "negative", version: value.version }
    : { kind: "live", value, version: value.version, costBytes: text.length * 2 };
}
