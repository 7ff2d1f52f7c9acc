/** Brings the isolate's cache up to what the feed has announced. */
import { hostPrefixOf, isArrivalsKey } from "@hopline/core/feed/arrivals";
import type { Change } from "@hopline/core/feed/change-page";
import type { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import type { EdgeRecord } from "../../ports.ts";
import { decodeEdgeRecord } from "../edge-record.ts";
import type { AnnouncedChanges } from "./announced-changes.ts";

export type Held = {
  readonly cache: IsolateCache<EdgeRecord>;
  readonly announced: AnnouncedChanges;
};

/**
 * Applies one change of a page. Pages repeat what they said a second ago: arrivals count only where they are news, or each
 * repetition would empty the memory of unknown slugs again.
 */
export function applyChange({ cache, announced }: Held, change: Change): void {
  const isNews = announced.remember(change);
  if (!isArrivalsKey(change.key)) {
    replaceHeld(cache, change);
  } else if (isNews) {
    cache.forgetAbsences(hostPrefixOf(change.key));
  }
}

/**
 * Replaces what is held in an older version; what is not held stays out, so that a thousand edits of cold links push
 * no warm one out. A change without a readable record only removes what it has outdated.
 */
function replaceHeld(cache: IsolateCache<EdgeRecord>, { key, version, recordText }: Change): void {
  if ((cache.peek(key)?.version ?? version) >= version) {
    return;
  }
  const decoded = recordText === null ? null : decodeEdgeRecord(recordText);
  if (decoded === null || decoded.kind === "rejected") {
    cache.delete(key);
  } else {
    cache.put({ ...decoded, key, costBytes: key.length * 2 + decoded.costBytes });
  }
}
