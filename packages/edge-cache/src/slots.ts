export type Slot = { readonly untilMs: number };

/**
 * Limits how much work runs at once. A slot expires after a bounded time: the request that took it may be cancelled before
 * it releases it, and the slot must not be lost with it.
 */
export class Slots {
  readonly #count: number;
  readonly #expiresAfterMs: number;
  readonly #taken = new Set<Slot>();

  constructor(count: number, expiresAfterMs: number) {
    this.#count = count;
    this.#expiresAfterMs = expiresAfterMs;
  }

  take(nowMs: number): Slot | null {
    for (const slot of this.#taken) {
      if (nowMs >= slot.untilMs) {
        this.#taken.delete(slot);
      }
    }
    if (this.#taken.size >= this.#count) {
      return null;
    }
    const slot = { untilMs: nowMs + this.#expiresAfterMs };
    this.#taken.add(slot);
    return slot;
  }

  /** Frees a slot. No effect if it has expired. */
  release(slot: Slot): void {
    this.#taken.delete(slot);
  }
}
