/**
 * The changes this isolate has heard of in the last minutes, so that a tier that lags behind is noticed: KV may answer
 * a minute-old record, or that there is none. Plain data, bounded; forgets the oldest first. Here too the isolate's cache is
 * brought up to what the feed has announced.
 */
import { arrivalsKeyOf, hostPrefixOf, isArrivalsKey } from "@hopline/core/feed/arrivals";
import { type Change, FEED_MEMORY_MS } from "@hopline/core/feed/change-page";
import type { LinkKey } from "@hopline/core/link/link-address";
import type { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import type { Announcements } from "@hopline/edge-cache/read-through-ports";
import type { EdgeRecord } from "../../ports.ts";
import { decodeEdgeRecord } from "../edge-record.ts";

const MAX_CHANGES = 4_096;
const MAX_CHARACTERS = 2_000_000;

const OVERHEAD_CHARACTERS = 100;

export interface AnnouncedChanges extends Announcements<LinkKey> {
  /**
   * Remembers a change unless it is too old, known, or older than what is known of its link. True when it was news; a change
   * that is announced again, because KV has still not taken it, is only remembered for longer.
   */
  remember(change: Change): boolean;
}

export function createAnnouncedChanges(nowMs: () => number): AnnouncedChanges {
  const changes = new Map<LinkKey, Change>();
  let characters = 0;
  const forget = (change: Change): void => {
    changes.delete(change.key);
    characters -= sizeOf(change);
  };
  const find = (key: LinkKey): Change | undefined => {
    const change = changes.get(key);
    return change !== undefined && nowMs() - change.announcedAtMs < FEED_MEMORY_MS ? change : undefined;
  };
  return {
    remember(change) {
      const known = changes.get(change.key);
      if (known !== undefined && !isNewer(change, known)) {
        return false;
      }
      const isNews = change.version > (known?.version ?? -1);
      if (known !== undefined) {
        forget(known);
      }
      changes.set(change.key, change);
      characters += sizeOf(change);
      for (const oldest of changes.values()) {
        const isTooMuch = changes.size > MAX_CHANGES || characters > MAX_CHARACTERS;
        if (!isTooMuch && nowMs() - oldest.announcedAtMs < FEED_MEMORY_MS) {
          break;
        }
        forget(oldest);
      }
      return isNews && changes.get(change.key) === change;
    },
    newerThan(key, version) {
      const change = find(key);
      return change !== undefined && change.version > version ? change.recordText : undefined;
    },
    arrivals: (key) => find(arrivalsKeyOf(key.slice(0, key.indexOf("/"))))?.version ?? 0,
  };
}

function isNewer(change: Change, known: Change): boolean {
  return (
    change.version > known.version ||
    (change.version === known.version && change.announcedAtMs > known.announcedAtMs)
  );
}

function sizeOf({ key, recordText }: Change): number {
  return OVERHEAD_CHARACTERS + key.length + (recordText?.length ?? 0);
}

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
