/** Reads what lies in the tiers: links, and the settings of domains. A tombstone is an absence with a version. */
import { decodeDomainRecord } from "@hopline/core/link/domain-record";
import { decodeLinkRecord } from "@hopline/core/link/link-record";
import type { Decoded } from "@hopline/edge-cache/read-through-ports";
import type { EdgeRecord } from "../ports.ts";

/** Total: never throws. */
export function decodeEdgeRecord(text: string): Decoded<EdgeRecord> {
  const link = decodeLinkRecord(text);
  const record = link.ok || link.error.field !== "domain" ? link : decodeDomainRecord(text);
  if (!record.ok) {
    return { kind: "rejected", field: record.error.field };
  }
  const { value } = record;
  return "state" in value && value.state === "deleted"
    ? { kind: "negative", version: value.version, costBytes: 0 }
    : { kind: "live", value, version: value.version, costBytes: text.length * 2 };
}
