/**
 * The end of the dead-letter queue, which is written like a shard's: what has used up its tries there, too, is left to a
 * line of the log.
 */
import type { BuryDeps } from "../ingest/bury.ts";
import { type BatchMessage, textOfBody } from "../ingest/plan-batch.ts";
import type { Log } from "../log.ts";

/** The first delivery plus `max_retries` of the dead-letter queue in wrangler.jsonc. No delivery follows this one. */
export const LAST_DELIVERY = 101;

/** `dead_letter_queue` in wrangler.jsonc. An environment's suffix may follow. */
const DEAD_LETTER_QUEUE = "hopline-clicks-dead";

export function isDeadLetterQueue(queue: string): boolean {
  return queue.startsWith(DEAD_LETTER_QUEUE);
}

export function isLastDelivery(queue: string, { attempts }: BatchMessage): boolean {
  return isDeadLetterQueue(queue) && attempts >= LAST_DELIVERY;
}

/** `dead-letters import` reads it back. */
export async function keepInLog(
  queue: string,
  message: BatchMessage,
  { seal, log }: Pick<BuryDeps, "seal"> & { readonly log: Log },
): Promise<void> {
  const sealed = await seal(textOfBody(message.body)).catch(() => null);
  log(
    // Without a key the body must not be printed, but its loss has to be.
    sealed === null
      ? { event: "message.dropped", queue, messageId: message.id }
      : { event: "message.unstored", queue, sealed },
  );
}
