/**
 * Reads that are in flight in this isolate, by key, so that concurrent misses of a key are one read.
 *
 * A request that is cut off leaves a promise here that never settles (workerd drops its work, `finally` included), so
 * others wait for one for a bounded time only. Shared promises must resolve to plain data: another request may not touch
 * a Response or a stream (workerd: "Cannot perform I/O on behalf of a different request").
 */

export interface InFlight<T> {
  readonly promise: Promise<T>;
  /** Epoch milliseconds. After this no visitor waits for it any longer. */
  readonly untilMs: number;
}

export interface InFlightReads<T> {
  find(key: string, nowMs: number): InFlight<T> | undefined;
  start(key: string, read: InFlight<T>, nowMs: number): void;
  /** Forgets the read of `key`, unless a later one has taken its place. */
  forget(key: string, untilMs: number): void;
  readonly size: number;
}

export function createInFlightReads<T>(): InFlightReads<T> {
  // In the order of their start, and so in the order in which they run out.
  const reads = new Map<string, InFlight<T>>();

  return {
    find(key, nowMs) {
      const read = reads.get(key);
      return read !== undefined && nowMs < read.untilMs ? read : undefined;
    },
    start(key, read, nowMs) {
      for (const [oldKey, { untilMs }] of reads) {
        if (nowMs < untilMs) {
          break;
        }
        reads.delete(oldKey);
      }
      reads.delete(key);
      reads.set(key, read);
    },
    forget(key, untilMs) {
      if (reads.get(key)?.untilMs === untilMs) {
        reads.delete(key);
      }
    },
    get size() {
      return reads.size;
    },
  };
}
