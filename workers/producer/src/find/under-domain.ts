/**
 * What a link takes from its domain: whether it leads anywhere at all, and its redirect status if it has none of its own. A
 * record has the status that its domain had when it was written, for when the domain is in neither isolate nor KV: no visitor
 * waits for the database because of it.
 */
import type { LinkRecord } from "@hopline/core/link/link-record";
import type { CacheEntry } from "@hopline/edge-cache/cache-entry";
import type { EdgeRecord } from "../ports.ts";

/** `null`: the domain was deleted, and its links with it, whatever a tier still says of them. */
export function underDomain(
  record: LinkRecord,
  domain: CacheEntry<EdgeRecord> | undefined,
): LinkRecord | null {
  if (domain?.kind !== "live") {
    // An absence with a version is a tombstone.
    return domain !== undefined && domain.version > 0 ? null : record;
  }
  if (record.followsDomain !== true || !("domainId" in domain.value)) {
    return record;
  }
  const redirectStatus = domain.value.redirectStatus ?? 302;
  return redirectStatus === record.redirectStatus ? record : { ...record, redirectStatus };
}
