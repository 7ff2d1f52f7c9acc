/** One try at handing a segment over, in bounded time. */
import { type Wait, withTimeout } from "@hopline/edge-cache/with-timeout";

/** `null` when the work was done in time, or else the kind of failure. */
export async function attempt(
  work: () => Promise<unknown>,
  timeoutMs: number,
  wait: Wait,
): Promise<string | null> {
  const outcome = await withTimeout(work, timeoutMs, wait);
  switch (outcome.kind) {
    case "done":
      return null;
    case "timed_out":
      return "TimeoutError";
    case "failed":
      return outcome.reason;
  }
}
