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
  /** Registers a read under `key`, in place of any other, until it settles. */
  start(key: string, read: InFlight<T>, nowMs: number): void;
  /** Forgets this read, and no other, of `key`. */
  forget(key: string, read: InFlight<T>): void;
  readonly size: number;
}

export function createInFlightReads<T>(): InFlightReads<T> {
  // In the order of their start, and so in the order in which they run out.
  const reads = new Map<string, InFlight<T>>();

  function forget(key: string, read: InFlight<T>): void {
    if (reads.get(key) === read) {
      reads.delete(key);
    }
  }

  function sweep(nowMs: number): void {
    for (const [key, read] of reads) {
      if (nowMs < read.untilMs) {
        return;
      }
      reads.delete(key);
    }
  }

  return {
    find(key, nowMs) {
      const read = reads.get(key);
      return read !== undefined && nowMs < read.untilMs ? read : undefined;
    },
    start(key, read, nowMs) {
      sweep(nowMs);
      const settle = (): void => forget(key, read);
      // The first to wait for it, so that it is forgotten before others go on.
      read.promise.then(settle, settle);
      reads.delete(key);
      reads.set(key, read);
    },
    forget,
    get size() {
      return reads.size;
    },
  };
}
