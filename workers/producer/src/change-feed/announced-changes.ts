/**
 * The changes this isolate has heard of in the last minutes, so that a tier that lags behind is noticed: KV may answer
 * a minute-old record, or that there is none. Plain data, bounded; forgets the oldest first.
 */
import type { Change } from "@hopline/core/feed/change-page";
import type { LinkKey } from "@hopline/core/link/link-address";

/** As long as the feed keeps them, which is longer than KV and any publisher lag (see outbox.ts in the API). */
const REMEMBERED_FOR_MS: number = 5 * 60_000;
const MAX_CHANGES = 4_096;
const MAX_CHARACTERS = 2_000_000;

/** A change beside its texts, in characters' worth of memory. */
const OVERHEAD_CHARACTERS = 100;

export interface AnnouncedChanges {
  /** Takes a change in unless it is too old, known, or older than what is known of its link. True when it was news. */
  remember(change: Change): boolean;
  /** The newest change of this address, if it was announced in the last minutes. */
  find(key: LinkKey): Change | undefined;
}

export function createAnnouncedChanges(nowMs: () => number): AnnouncedChanges {
  const changes = new Map<LinkKey, Change>();
  let characters = 0;
  const forget = (change: Change): void => {
    changes.delete(change.key);
    characters -= sizeOf(change);
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
        if (!isTooMuch && nowMs() - oldest.announcedAtMs < REMEMBERED_FOR_MS) {
          break;
        }
        forget(oldest);
      }
      return changes.get(change.key) === change;
    },
    find(key) {
      const change = changes.get(key);
      return change !== undefined && nowMs() - change.announcedAtMs < REMEMBERED_FOR_MS ? change : undefined;
    },
  };
}

function sizeOf({ key, recordText }: Change): number {
  return OVERHEAD_CHARACTERS + key.length + (recordText?.length ?? 0);
}
