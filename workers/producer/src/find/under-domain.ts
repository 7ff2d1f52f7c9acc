/**
 * What a link takes from its domain: whether it leads anywhere at all, and its redirect status if it has none of its own. A
 * record has the status that its domain had when it was written, for when the domain is in neither isolate nor KV: no visitor
 * waits for the database because of it.
 */
import { domainKeyOf } from "@hopline/core/link/domain-record";
import type { LinkRecord } from "@hopline/core/link/link-record";
import type { CacheEntry } from "@hopline/edge-cache/cache-entry";
import { setLatest } from "@hopline/edge-cache/set-latest";
import type { EdgeRecord } from "../ports.ts";
import type { RequestContext } from "../request-context.ts";

/** A load takes no longer: one that has not come back by then was cut off. */
const LOAD_AGAIN_AFTER_MS = 2_000;
const MAX_LOADS = 1_024;

/** What the isolate holds of the domain, or has last known of it: then the domain is loaded behind the answer. Synchronous. */
export function getDomain({ host, deps, visit }: RequestContext): CacheEntry<EdgeRecord> | undefined {
  const { links, domainLoads } = deps;
  const key = domainKeyOf(host);
  const nowMs = deps.nowMs();
  const held = links.get(key, nowMs, visit);
  if (held !== undefined) {
    return held;
  }
  if (nowMs - (domainLoads.get(key) ?? 0) >= LOAD_AGAIN_AFTER_MS) {
    setLatest(domainLoads, [key, nowMs], MAX_LOADS);
    visit.defer(links.load(key, visit));
  }
  return links.staleIfError(key)?.entry;
}

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
