/** Reads any record of the tiers from its text: loaded with the first one that is no plain link's. */
import { decodeDomainRecord, type DomainRecordFault } from "@hopline/core/link/domain-record";
import { decodeLinkRecord, type LinkRecordFault } from "@hopline/core/link/link-record";
import type { Result } from "@hopline/core/decode/result";
import type { EdgeRecord } from "./edge-record.ts";

/** Reads either kind. Never throws. */
export function decodeEdgeRecord(text: string): Result<EdgeRecord, LinkRecordFault | DomainRecordFault> {
  const link = decodeLinkRecord(text);
  return link.ok || link.error.field !== "link" ? link : decodeDomainRecord(text);
}
