/** What a published text means to the isolate cache. */
import type { Decoded } from "@hopline/edge-cache/read-through-ports";
import { type EdgeRecord, isDomain } from "./edge-record.ts";
import { decodeEdgeRecord } from "./decode-edge-record.ts";

/** Total: never throws. */
export function decodeForCache(text: string): Decoded<EdgeRecord> {
  const decoded = decodeEdgeRecord(text);
  return decoded.ok ? toDecoded(decoded.value, text) : { kind: "rejected", field: decoded.error.field };
}

function toDecoded(value: EdgeRecord, text: string): Decoded<EdgeRecord> {
  return !isDomain(value) && value.state === "deleted"
    ? { kind: "negative", version: value.version }
    : { kind: "live", value, version: value.version, costBytes: text.length * 2 };
}
