/** What lies in the tiers under one key space: links, and under a key that no link can have, the settings of domains. */
import { decodeDomainRecord, type DomainRecord, type DomainRecordFault } from "@hopline/core/domain-record";
import { decodeLinkRecord, type LinkRecord, type LinkRecordFault } from "@hopline/core/link-record";
import type { Result } from "@hopline/core/result";

export type EdgeRecord = LinkRecord | DomainRecord;

export function isDomain(record: EdgeRecord): record is DomainRecord {
  return "domainId" in record;
}

/** Reads either kind from its text. Never throws. */
export function decodeEdgeRecord(text: string): Result<EdgeRecord, LinkRecordFault | DomainRecordFault> {
  const link = decodeLinkRecord(text);
  return link.ok || link.error.field !== "link" ? link : decodeDomainRecord(text);
}
