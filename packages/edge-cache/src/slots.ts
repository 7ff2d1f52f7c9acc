/**
 * Limits how much work runs at once. A slot expires after a bounded time: the request that took it may be cancelled before
 * it releases it, and the slot must not be lost with it.
 */

export type Slot = { readonly untilMs: number };

export interface Slots {
  take(nowMs: number): Slot | null;
  /** Frees a slot. No effect if it has expired. */
  release(slot: Slot): void;
}

export function createSlots(count: number, expiresAfterMs: number): Slots {
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
      const slot = { untilMs: nowMs + expiresAfterMs };
      taken.add(slot);
      return slot;
    },
    release(slot) {
      taken.delete(slot);
    },
  };
}
