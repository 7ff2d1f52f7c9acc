/** Waiting for a shared statement, each with a timer of its own: another's request may end at any moment. */
import type { Wait } from "./with-timeout.ts";

/** While a statement is due and none may start, a visitor polls after so long, then after twice as long, and so on. */
const FIRST_POLL_MS = 25;
export const LONGEST_POLL_MS = 100;

type Polling = {
  /** Epoch milliseconds. */
  readonly untilMs: number;
  /** When the next statement is due, epoch milliseconds. */
  readonly nextAtMs: () => number;
  readonly nowMs: () => number;
  readonly wait: Wait;
};

/** Calls `isOver` whenever a statement is due, until it says so, or until the time is up. */
export async function pollUntil(
  { untilMs, nextAtMs, nowMs, wait }: Polling,
  isOver: (nowMs: number) => boolean,
): Promise<void> {
  let pollMs = FIRST_POLL_MS;
  for (let now = nowMs(); now < untilMs && !isOver(now); now = nowMs()) {
    const pollAtMs = now < nextAtMs() ? nextAtMs() : now + pollMs;
    pollMs = Math.min(LONGEST_POLL_MS, 2 * pollMs);
    await wait(Math.min(untilMs, pollAtMs) - now);
  }
}
