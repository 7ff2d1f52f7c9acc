/** Brings the isolate's cache up to what the feed has announced. */
import { hostPrefixOf, isArrivalsKey } from "@hopline/core/feed/arrivals";
import type { Change } from "@hopline/core/feed/change-page";
import type { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import type { Decode } from "@hopline/edge-cache/read-through-ports";
import type { EdgeRecord } from "../edge-record.ts";
import type { AnnouncedChanges } from "./announced-changes.ts";

export type Held = {
  readonly cache: IsolateCache<EdgeRecord>;
  readonly announced: AnnouncedChanges;
};

/**
 * Takes in one change of a page. Pages repeat what they said a second ago: arrivals count only where they are news, or each
 * repetition would empty the memory of unknown slugs again.
 */
export async function takeIn(
  { cache, announced }: Held,
  change: Change,
  decode: Decode<EdgeRecord>,
): Promise<void> {
  const isNews = announced.remember(change);
  if (!isArrivalsKey(change.key)) {
    return applyChange(cache, change, decode);
  }
  if (isNews) {
    cache.forgetAbsences(hostPrefixOf(change.key));
  }
  return undefined;
}

/**
 * Replaces what is held in an older version; what is not held stays out, so that a thousand edits of cold links push
 * no warm one out. A change without a readable record only removes what it has outdated. Never rejects.
 */
export async function applyChange(
  cache: IsolateCache<EdgeRecord>,
  { key, version, recordText }: Change,
  decode: Decode<EdgeRecord>,
): Promise<void> {
  const isOutdated = (): boolean => (cache.peek(key)?.version ?? version) < version;
  if (!isOutdated()) {
    return;
  }
  const decoded = recordText === null ? null : await decode(recordText);
  // The reader may have been loaded meanwhile: the cache looks at versions itself, but for a removal.
  const keyBytes = key.length * 2;
  if (decoded === null || decoded.kind === "rejected") {
    if (isOutdated()) {
      cache.delete(key);
    }
  } else if (decoded.kind === "live") {
    cache.put({ key, value: decoded.value, version, costBytes: keyBytes + decoded.costBytes });
  } else {
    cache.putNegative({ key, version, costBytes: keyBytes });
  }
}
