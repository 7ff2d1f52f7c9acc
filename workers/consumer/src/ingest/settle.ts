/** Gives a message back to its queue, later and later. */
import { retryDelaySeconds } from "./retry-delay.ts";
import type { BatchMessage } from "./plan-batch.ts";

export interface SettledMessage extends BatchMessage {
  ack(): void;
  retry(options: { readonly delaySeconds: number }): void;
}

/** Returns the longest delay, seconds. @param random in [0, 1). */
export function retryLater(messages: readonly SettledMessage[], random: () => number): number {
  let longestSeconds = 0;
  for (const message of messages) {
    const delaySeconds = retryDelaySeconds(message.attempts, random());
    message.retry({ delaySeconds });
    longestSeconds = Math.max(longestSeconds, delaySeconds);
  }
  return longestSeconds;
}
