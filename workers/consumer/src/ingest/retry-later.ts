/**
 * Returns messages to their queue, with a longer wait after each delivery: exponential backoff with full jitter, so
 * that a database that comes back is not hit by every batch at once (AWS Architecture Blog, "Exponential Backoff And
 * Jitter", 2015).
 */
import { isDeadLetterQueue } from "../dead-letters/last-delivery.ts";
import type { BatchMessage } from "./plan-batch.ts";

export interface SettledMessage extends BatchMessage {
  ack(): void;
  retry(options: { readonly delaySeconds: number }): void;
}

const BASE_SECONDS = 2;

/** A hundred attempts in a shard's queue take half a day. Cloudflare allows at most twelve hours per delay. */
const MAX_SECONDS = 900;
/** In the dead-letter queue: all are delivered within eight minutes after the database is back. A hundred take six hours. */
const MAX_SECONDS_OF_LETTERS = 480;

/** Retries each message. Returns the longest delay, in seconds. @param random in [0, 1). */
export function retryLater(queue: string, messages: readonly SettledMessage[], random: () => number): number {
  const maxSeconds = isDeadLetterQueue(queue) ? MAX_SECONDS_OF_LETTERS : MAX_SECONDS;
  let longestSeconds = 0;
  for (const message of messages) {
    const delaySeconds = retryDelaySeconds(message.attempts, random(), maxSeconds);
    message.retry({ delaySeconds });
    longestSeconds = Math.max(longestSeconds, delaySeconds);
  }
  return longestSeconds;
}

/**
 * Seconds to wait, from 1 to `maxSeconds`.
 *
 * @param attempts deliveries so far, from 1 (Cloudflare's `message.attempts`).
 * @param random in [0, 1).
 */
export function retryDelaySeconds(attempts: number, random: number, maxSeconds = MAX_SECONDS): number {
  const ceiling = Math.min(maxSeconds, BASE_SECONDS * 2 ** Math.min(attempts, 10));
  return 1 + Math.floor(random * ceiling);
}
