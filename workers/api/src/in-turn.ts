/**
 * Requests that want the same thing take turns, in each isolate. Fifty that change one link at the same moment would otherwise
 * read and write it again and again, and one of them succeeds each time. Writers in other isolates are told apart by versions.
 */
import { ProblemError } from "./http/problem.ts";

type Clock = { readonly nowMs: () => number; readonly wait: (ms: number) => Promise<unknown> };

/** Runs in the turn of `key`. Throws `ProblemError` busy after a while without one. */
export type Turns = <Result>(key: string, run: () => Promise<Result>) => Promise<Result>;

/** A person waits for it, and the deadline of a statement is later. */
const MAX_WAIT_MS = 4_000;
const LOOK_AGAIN_MS = 10;
/** A request that was cut off in its turn does not come back to end it. */
const LONGEST_TURN_MS = 2_000;

export function createTurns({ nowMs, wait }: Clock): Turns {
  /** By key, in the order in which they run out. */
  const taken = new Map<string, { readonly untilMs: number }>();
  const isTaken = (key: string): boolean => nowMs() < (taken.get(key)?.untilMs ?? 0);
  return async (key, run) => {
    const givesUpAtMs = nowMs() + MAX_WAIT_MS;
    // Each with a timer of its own: workerd lets no request wait for another one's promise.
    while (isTaken(key)) {
      if (nowMs() >= givesUpAtMs) {
        throw new ProblemError("busy");
      }
      await wait(LOOK_AGAIN_MS);
    }
    forgetCutOff();
    const turn = { untilMs: nowMs() + LONGEST_TURN_MS };
    taken.delete(key);
    taken.set(key, turn);
    try {
      return await run();
    } finally {
      if (taken.get(key) === turn) {
        taken.delete(key);
      }
    }
  };

  function forgetCutOff(): void {
    for (const [key, { untilMs }] of taken) {
      if (nowMs() < untilMs) {
        return;
      }
      taken.delete(key);
    }
  }
}
