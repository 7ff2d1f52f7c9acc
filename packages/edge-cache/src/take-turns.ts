/** How those wait who share statements: by a timer of their own, because another's request may end at any moment. */
import type { Wait } from "./with-timeout.ts";

/** While a turn is due and can't be taken, a visitor looks again after so long, then after twice as long, and so on. */
const LOOK_AGAIN_MS = 25;
export const LOOK_AGAIN_AT_LATEST_MS = 100;

type Turns = {
  /** Epoch milliseconds. */
  readonly untilMs: number;
  /** When the next turn is due, epoch milliseconds. */
  readonly nextAtMs: () => number;
  readonly nowMs: () => number;
  readonly wait: Wait;
};

/** Calls `take` at each turn until it says that the wait is over, or until the time is up. */
export async function takeTurns(
  { untilMs, nextAtMs, nowMs, wait }: Turns,
  take: (nowMs: number) => boolean,
): Promise<void> {
  let lookAgainMs = LOOK_AGAIN_MS;
  for (let now = nowMs(); now < untilMs && !take(now); now = nowMs()) {
    const turnAtMs = now < nextAtMs() ? nextAtMs() : now + lookAgainMs;
    lookAgainMs = Math.min(LOOK_AGAIN_AT_LATEST_MS, 2 * lookAgainMs);
    await wait(Math.min(untilMs, turnAtMs) - now);
  }
}
