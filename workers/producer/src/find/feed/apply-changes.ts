/** Brings the isolate's cache, and what it knows of changes, up to what was read of the feed. Loaded with the first read. */
import { hostPrefixOf, isArrivalsKey } from "@hopline/core/feed/arrivals";
import { type Change, FEED_MEMORY_MS } from "@hopline/core/feed/change-page";
import { hashOf, type VersionBlock } from "@hopline/core/feed/version-block";
import { domainKeyOf, isDomainKey } from "@hopline/core/link/domain-record";
import type { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import type { EdgeRecord } from "../../ports.ts";
import { decodeEdgeRecord } from "../edge-record.ts";
import type { AnnouncedChanges } from "./announced-changes.ts";
import type { CaughtUp } from "./catch-up.ts";

export type Held = {
  readonly cache: IsolateCache<EdgeRecord>;
  readonly announced: AnnouncedChanges;
};

/** Brings the isolate up to what it has read. `isFirst`: all that KV may lack is known from now on. */
export function applyCaughtUp(
  held: Held,
  { changes, versions, knownAtMs, missedUntilMs }: CaughtUp,
  isFirst: boolean,
): void {
  const { cache, announced } = held;
  if (isFirst) {
    announced.trustKv();
  } else if (missedUntilMs > -Infinity) {
    cache.markAllStale();
  }
  announced.doubtKv(missedUntilMs);
  announced.hear(knownAtMs, Math.max(missedUntilMs, isFirst ? knownAtMs - FEED_MEMORY_MS : -Infinity));
  versions.forEach((block) => announced.rememberVersions(block));
  if (versions.length > 0) {
    // They name no keys: all that is held is compared with them, and which absences still hold is not known, nor how a domain changed.
    const changed = hashesOf(versions);
    const hasDomainChanged = (key: string): boolean => {
      const domainKey = domainKeyOf(key.slice(0, key.indexOf("/")));
      return key !== domainKey && changed.has(hashOf(domainKey));
    };
    cache.deleteWhere(
      ({ key, version }) => version === 0 || hasDomainChanged(key) || announced.isOutdated(key, version),
    );
    announced.forgetTexts(hasDomainChanged);
  }
  changes.forEach((change) => applyChange(held, change));
}

function hashesOf(versions: readonly VersionBlock[]): ReadonlySet<number> {
  const hashes = new Set<number>();
  for (const { pairs } of versions) {
    for (let place = 0; place < pairs.length; place += 2) {
      hashes.add(pairs[place] ?? 0);
    }
  }
  return hashes;
}

export function applyChange({ cache, announced }: Held, change: Change): void {
  const isNews = announced.remember(change);
  if (!isArrivalsKey(change.key)) {
    replaceHeld({ cache, announced }, change);
  } else if (isNews) {
    const prefix = hostPrefixOf(change.key);
    cache.deleteWhere(({ key, version }) => version === 0 && key.startsWith(prefix));
  }
}

/**
 * Replaces what is held in an older version; what is not held stays out, so that a thousand edits of cold links push
 * no warm one out. A change without a readable record only removes what it has outdated. The links of a domain that ended are
 * forgotten with it, as not each of them is announced; and again where it begins, as KV had copies of them for a while.
 */
function replaceHeld({ cache, announced }: Held, { key, version, recordText }: Change): void {
  const decoded = recordText === null ? null : decodeEdgeRecord(recordText);
  const known = cache.peek(key);
  // What is held of the domain may be newer than its links: a tier has said so before the feed.
  const isEdit = decoded?.kind === "live" && known?.kind === "live" && known.version < version;
  if (isDomainKey(key) && !isEdit) {
    const prefix = hostPrefixOf(key);
    const isOfDomain = (of: string): boolean => of.startsWith(prefix) && of !== key;
    cache.deleteWhere((held) => isOfDomain(held.key));
    announced.forgetTexts(isOfDomain);
  }
  if ((known?.version ?? version) >= version) {
    return;
  }
  if (decoded === null || decoded.kind === "rejected") {
    cache.delete(key);
  } else {
    cache.put({ ...decoded, key, costBytes: key.length * 2 + decoded.costBytes });
  }
}
