/** Brings the isolate's cache up to what the feed has announced. */
import { hostPrefixOf, isArrivalsKey } from "@hopline/core/arrivals";
import type { Change } from "@hopline/core/change-page";
import type { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import type { Decoded } from "@hopline/edge-cache/read-through-ports";
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
export function takeIn(
  { cache, announced }: Held,
  change: Change,
  decode: (text: string) => Decoded<EdgeRecord>,
): void {
  const isNews = announced.remember(change);
  if (!isArrivalsKey(change.key)) {
    applyChange(cache, change, decode);
  } else if (isNews) {
    cache.forgetAbsences(hostPrefixOf(change.key));
  }
}

/**
 * Replaces what is held in an older version; what is not held stays out, so that a thousand edits of cold links push
 * no warm one out. A change without a readable record only removes what it has outdated.
 */
export function applyChange(
  cache: IsolateCache<EdgeRecord>,
  { key, version, recordText }: Change,
  decode: (text: string) => Decoded<EdgeRecord>,
): void {
  const held = cache.peek(key);
  if (held === undefined || held.version >= version) {
    return;
  }
  const decoded = recordText === null ? null : decode(recordText);
  const keyBytes = key.length * 2;
  if (decoded === null || decoded.kind === "rejected") {
    cache.delete(key);
  } else if (decoded.kind === "live") {
    cache.put({ key, value: decoded.value, version, costBytes: keyBytes + decoded.costBytes });
  } else {
    cache.putNegative({ key, version, costBytes: keyBytes });
  }
}
