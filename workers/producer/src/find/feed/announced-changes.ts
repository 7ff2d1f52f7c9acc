/**
 * The changes this isolate has heard of in the last minutes, so that a tier that lags behind is noticed: KV may answer
 * a minute-old record, or that there is none. Plain data, bounded; forgets the oldest first.
 */
import { arrivalsKeyOf } from "@hopline/core/feed/arrivals";
import { type Change, FEED_MEMORY_MS } from "@hopline/core/feed/change-page";
import type { LinkKey } from "@hopline/core/link/link-address";
import type { Announcements } from "@hopline/edge-cache/read-through-ports";

const MAX_CHANGES = 4_096;
const MAX_CHARACTERS = 2_000_000;

/** A change beside its texts, in characters' worth of memory. */
const OVERHEAD_CHARACTERS = 100;

export interface AnnouncedChanges extends Announcements<LinkKey> {
  /** Remembers a change unless it is too old, known, or older than what is known of its link. True when it was news. */
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
      if (known !== undefined && known.version >= change.version) {
        return false;
      }
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
      return changes.get(change.key) === change;
    },
    newerThan(key, version) {
      const change = find(key);
      return change !== undefined && change.version > version ? change.recordText : undefined;
    },
    arrivals: (key) => find(arrivalsKeyOf(key.slice(0, key.indexOf("/"))))?.version ?? 0,
  };
}

function sizeOf({ key, recordText }: Change): number {
  return OVERHEAD_CHARACTERS + key.length + (recordText?.length ?? 0);
}
