/**
 * Returns messages to their queue, with a longer wait after each delivery: exponential backoff with full jitter, so
 * that a database that comes back is not hit by every batch at once (AWS Architecture Blog, "Exponential Backoff And
 * Jitter", 2015).
 */
import type { BatchMessage } from "./plan-batch.ts";

export interface SettledMessage extends BatchMessage {
  ack(): void;
  retry(options: { readonly delaySeconds: number }): void;
}

const BASE_SECONDS = 2;

/** With 100 attempts this outlasts an outage of a day. Cloudflare allows at most twelve hours per delay. */
const MAX_SECONDS = 900;

/** Retries each message. Returns the longest delay, in seconds. @param random in [0, 1). */
export function retryLater(messages: readonly SettledMessage[], random: () => number): number {
  let longestSeconds = 0;
  for (const message of messages) {
    const delaySeconds = retryDelaySeconds(message.attempts, random());
    message.retry({ delaySeconds });
    longestSeconds = Math.max(longestSeconds, delaySeconds);
  }
  return longestSeconds;
}

/**
 * Seconds to wait, from 1 to 900.
 *
 * @param attempts deliveries so far, from 1 (Cloudflare's `message.attempts`).
 * @param random in [0, 1).
 */
export function retryDelaySeconds(attempts: number, random: number): number {
  const ceiling = Math.min(MAX_SECONDS, BASE_SECONDS * 2 ** Math.min(attempts, 10));
  return 1 + Math.floor(random * ceiling);
}
