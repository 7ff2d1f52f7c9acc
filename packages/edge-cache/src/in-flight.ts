export interface InFlight<T> {
  readonly promise: Promise<T>;
  /** Epoch milliseconds. After this no visitor waits for it any longer. */
  readonly untilMs: number;
}

/**
 * Reads that are in flight in this isolate, by key, so that concurrent misses of a key are one read.
 *
 * A request that is cut off leaves a promise here that never settles (workerd drops its work, `finally` included), so
 * others wait for one for a bounded time only. Shared promises must resolve to plain data: another request may not touch
 * a Response or a stream (workerd: "Cannot perform I/O on behalf of a different request").
 */
export class InFlightReads<T> {
  /** In the order of their start, and so in the order in which they run out. */
  readonly #reads = new Map<string, InFlight<T>>();

  find(key: string, nowMs: number): InFlight<T> | undefined {
    const read = this.#reads.get(key);
    return read !== undefined && nowMs < read.untilMs ? read : undefined;
  }

  start(key: string, read: InFlight<T>, nowMs: number): void {
    for (const [oldKey, { untilMs }] of this.#reads) {
      if (nowMs < untilMs) {
        break;
      }
      this.#reads.delete(oldKey);
    }
    this.#reads.delete(key);
    this.#reads.set(key, read);
  }

  /** Forgets the read of `key`, unless a later one has taken its place. */
  forget(key: string, untilMs: number): void {
    if (this.#reads.get(key)?.untilMs === untilMs) {
      this.#reads.delete(key);
    }
  }

  get size(): number {
    return this.#reads.size;
  }
}
