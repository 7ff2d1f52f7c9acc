/**
 * Time of one life: it stands still while anything can run, and then jumps to what is due next. What really takes time outside
 * (a statement of Postgres, Web Crypto) is done one after the other while the clock stands, so that a seed always gives the same
 * order.
 */
import { setImmediate as turn } from "node:timers/promises";

export type VirtualTime = {
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  readonly wait: (ms: number) => Promise<void>;
  /** Does real work while the clock stands still. */
  readonly outside: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Runs all that is due until then, or until `isOver`. */
  readonly pass: (untilMs: number, isOver?: () => boolean) => Promise<void>;
};

type Due = { readonly atMs: number; readonly run: () => void };

export function createVirtualTime(startMs: number): VirtualTime {
  let nowMs = startMs;
  /** In order; of one instant, in the order in which they were set. */
  const due: Due[] = [];
  const outside: (() => Promise<void>)[] = [];

  function at(atMs: number, run: () => void): void {
    const from = Math.max(atMs, nowMs);
    let [low, high] = [0, due.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((due[middle]?.atMs ?? Infinity) <= from) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    due.splice(low, 0, { atMs: from, run });
  }

  async function settle(): Promise<void> {
    for (;;) {
      // All that needs no clock. Bodies of responses take a second turn.
      await turn();
      await turn();
      const work = outside.shift();
      if (work === undefined) {
        return;
      }
      await work();
    }
  }

  return {
    nowMs: () => nowMs,
    at,
    wait: (ms) => new Promise((resolve) => at(nowMs + ms, resolve)),
    outside: (work) =>
      new Promise((resolve, reject) => {
        outside.push(() => work().then(resolve, reject));
      }),
    async pass(untilMs, isOver = () => false) {
      await settle();
      for (let next = due[0]; next !== undefined && next.atMs <= untilMs; next = due[0]) {
        due.shift();
        nowMs = next.atMs;
        next.run();
        await settle();
        if (isOver()) {
          return;
        }
      }
      nowMs = Math.max(nowMs, untilMs);
    },
  };
}
