/** One try at handing a segment over, in bounded time. */
import type { Wait } from "@hopline/edge-cache/with-timeout";
import { nameOfError } from "./log.ts";

/** `null` when the work was done in time, or else the kind of failure. */
export async function attempt(
  work: () => Promise<unknown>,
  timeoutMs: number,
  wait: Wait,
): Promise<string | null> {
  try {
    const done = work().then(() => null);
    const timeOut = wait(timeoutMs).then(() => "TimeoutError");
    return await Promise.race([done, timeOut]);
  } catch (error) {
    return nameOfError(error);
  }
}
