/** What lies in the tiers under one key space: links, and under a key that no link can have, the settings of domains. */
import type { DomainRecord } from "@hopline/core/link/domain-record";
import type { LinkRecord } from "@hopline/core/link/link-record";

export type EdgeRecord = LinkRecord | DomainRecord;

export function isDomain(record: EdgeRecord): record is DomainRecord {
  return "domainId" in record;
}
