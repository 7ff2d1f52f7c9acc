/**
 * What a link takes from its domain: whether it leads anywhere at all, and its redirect status if it has none of its own. A
 * record has the status that its domain had when it was written, for when the domain is in neither isolate nor KV: no visitor
 * waits for the database because of it.
 */
import { domainKeyOf } from "@hopline/core/link/domain-record";
import type { LinkRecord } from "@hopline/core/link/link-record";
import type { CacheEntry } from "@hopline/edge-cache/cache-entry";
import type { EdgeRecord } from "../ports.ts";
import type { RequestContext } from "../request-context.ts";

/** What the isolate holds of the domain, or has last known of it: then the domain is loaded behind the answer. Synchronous. */
export function getDomain({ host, deps, visit }: RequestContext): CacheEntry<EdgeRecord> | undefined {
  const { links } = deps;
  const key = domainKeyOf(host);
  const nowMs = deps.nowMs();
  const held = links.get(key, nowMs, visit);
  if (held !== undefined) {
    return held;
  }
  links.refresh(key, nowMs, visit);
  return links.staleIfError(key)?.entry;
}

/** `null`: the domain was deleted or suspended, and its links with it, whatever a tier still says of them. */
export function applyDomain(
  record: LinkRecord,
  domain: CacheEntry<EdgeRecord> | undefined,
): LinkRecord | null {
  if (domain?.kind !== "live") {
    // An absence with a version is a tombstone.
    return domain !== undefined && domain.version > 0 ? null : record;
  }
  if (!("domainId" in domain.value)) {
    return record;
  }
  if (domain.value.isSuspended) {
    return null;
  }
  if (record.followsDomain !== true) {
    return record;
  }
  const redirectStatus = domain.value.redirectStatus ?? 302;
  return redirectStatus === record.redirectStatus ? record : { ...record, redirectStatus };
}
