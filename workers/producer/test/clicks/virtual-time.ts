/**
 * Time that passes only when it is told to, in the order of what is due. Waits that are due at the same instant end in
 * the order they began.
 */
export type VirtualTime = ReturnType<typeof createVirtualTime>;

type Due = { readonly atMs: number; readonly run: () => void };

export function createVirtualTime() {
  let nowMs = 1_795_000_000_000;
  const due: Due[] = [];

  function at(atMs: number, run: () => void): void {
    const later = due.findIndex((other) => other.atMs > atMs);
    due.splice(later === -1 ? due.length : later, 0, { atMs, run });
  }

  return {
    nowMs: (): number => nowMs,
    wait: (ms: number): Promise<void> => new Promise((resolve) => at(nowMs + ms, resolve)),
    /** Runs everything that comes due within so many milliseconds, and ends at that instant. */
    async pass(ms: number): Promise<void> {
      const untilMs = nowMs + ms;
      await settlePromises();
      for (let next = due[0]; next !== undefined && next.atMs <= untilMs; next = due[0]) {
        due.shift();
        nowMs = Math.max(nowMs, next.atMs);
        next.run();
        await settlePromises();
      }
      nowMs = untilMs;
    },
  };
}

/** Lets every promise run on that can: a macrotask comes after all microtasks. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
