/**
 * A fixed number of places for work that must not all run at once. A place is lent for a bounded time: the request that
 * took it may be cut off before it gives it back, and nothing may be lost for ever with it.
 */

export type Slot = { readonly untilMs: number };

export interface Slots {
  /** A free place, or `null` when all are taken. */
  take(nowMs: number): Slot | null;
  /** Gives a place back; one that has run out meanwhile is gone already. */
  release(slot: Slot): void;
}

export function createSlots(count: number, lentForMs: number): Slots {
  const taken = new Set<Slot>();
  return {
    take(nowMs) {
      if (taken.size >= count) {
        for (const slot of taken) {
          if (nowMs >= slot.untilMs) {
            taken.delete(slot);
          }
        }
      }
      if (taken.size >= count) {
        return null;
      }
      const slot = { untilMs: nowMs + lentForMs };
      taken.add(slot);
      return slot;
    },
    release(slot) {
      taken.delete(slot);
    },
  };
}
