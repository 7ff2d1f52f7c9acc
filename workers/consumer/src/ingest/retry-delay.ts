/**
 * How long a message waits before its next delivery: exponential with full jitter, so that a database that comes back
 * is not met by every batch at once (AWS Architecture Blog, "Exponential Backoff And Jitter", 2015).
 */

const BASE_SECONDS = 2;

/** With 100 tries this outlives an outage of a day; Cloudflare's limit for one delay is twelve hours. */
const MAX_SECONDS = 900;

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
