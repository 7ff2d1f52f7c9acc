/**
 * Hashes passwords one after the other, in each isolate. A hash keeps workerd's only thread for some 100 ms, and seventy that are
 * asked for at once kept it for so long that statements ran into their deadlines, of all requests in that isolate.
 * Between two of them the others go on now, and a request that has waited for too long is refused with 429.
 */
import { ProblemError } from "../http/problem.ts";
import type { Passwords } from "./password-hash.ts";

/** A person waits for it. */
const MAX_WAIT_MS = 3_000;
const LOOK_AGAIN_MS = 20;
const RETRY_AFTER_SECONDS = 5;
/** A request that was cut off in its turn does not come back to end it. */
const LONGEST_TURN_MS = 2_000;

type Clock = { readonly nowMs: () => number; readonly wait: (ms: number) => Promise<unknown> };

/** The same, in turn: both throw `ProblemError` rate_limited after three seconds without one. */
export function hashInTurn(passwords: Passwords, { nowMs, wait }: Clock): Passwords {
  let takenUntilMs = 0;
  const inTurn = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const givesUpAtMs = nowMs() + MAX_WAIT_MS;
    // Each with a timer of its own: workerd lets no request wait for another one's promise.
    while (nowMs() < takenUntilMs) {
      if (nowMs() >= givesUpAtMs) {
        throw new ProblemError("rate_limited", [], { "retry-after": String(RETRY_AFTER_SECONDS) });
      }
      await wait(LOOK_AGAIN_MS);
    }
    takenUntilMs = nowMs() + LONGEST_TURN_MS;
    try {
      return await run();
    } finally {
      // What has come meanwhile is looked at first: answers of the database, whose deadlines go on.
      await wait(0);
      takenUntilMs = 0;
    }
  };
  return {
    hash: (password) => inTurn(() => passwords.hash(password)),
    verify: (password, hash) => inTurn(() => passwords.verify(password, hash)),
  };
}
