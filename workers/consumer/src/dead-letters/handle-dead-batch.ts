/**
 * The dead-letter queue's batches: what ran out of attempts becomes a sealed row of dead_letters, where a person finds
 * it. The queue itself would discard it after four days.
 */
import { decodeSegment } from "@hopline/core/click/segment";
import { type Buried, buryMessage, burySegment } from "../ingest/bury.ts";
import { type BatchDeps, retryBatch } from "../ingest/handle-batch.ts";
import { toBuriedSegment } from "../ingest/pending-segment.ts";
import { textOfBody } from "../ingest/plan-batch.ts";
import type { SettledMessage } from "../ingest/retry-later.ts";

/** The first delivery plus `max_retries` of the dead-letter queue in wrangler.jsonc. No delivery follows this one. */
export const LAST_DELIVERY = 101;

/** `dead_letter_queue` in wrangler.jsonc. An environment's suffix may follow. */
const DEAD_LETTER_QUEUE = "hopline-clicks-dead";

export function isDeadLetterQueue(queue: string): boolean {
  return queue.startsWith(DEAD_LETTER_QUEUE);
}

export async function handleDeadBatch(
  queue: string,
  messages: readonly SettledMessage[],
  deps: BatchDeps,
): Promise<void> {
  for (const message of messages) {
    const buried = await buryBody(queue, message.body, deps);
    if (buried?.ok === false) {
      await keepInLog(queue, message, deps);
      retryBatch(queue, { messages: [message], failure: buried.error }, deps);
      continue;
    }
    message.ack();
    if (buried !== null) {
      deps.log({ event: "message.dead_lettered", queue, messageId: message.id, field: null });
    }
  }
}

/** `null` for a message without clicks: losing counts for the metrics is not worth a person's time. */
async function buryBody(queue: string, body: unknown, deps: BatchDeps): Promise<Awaited<Buried> | null> {
  const segment = decodeSegment(body);
  if (!segment.ok) {
    return buryMessage(textOfBody(body), { source: queue, reason: segment.error.field }, deps);
  }
  if (segment.value.clicks.length === 0) {
    return null;
  }
  const pending = toBuriedSegment(segment.value, deps.nowMs());
  return burySegment(pending, { source: queue, reason: "out_of_tries" }, deps);
}

/** After the last delivery of the last queue only the log line is left. `dead-letters import` reads it back. */
async function keepInLog(queue: string, message: SettledMessage, deps: BatchDeps): Promise<void> {
  if (message.attempts < LAST_DELIVERY) {
    return;
  }
  const sealed = await deps.seal(textOfBody(message.body)).catch(() => null);
  deps.log(
    // Without a key the body must not be printed, but its loss has to be.
    sealed === null
      ? { event: "message.dropped", queue, messageId: message.id }
      : { event: "message.unstored", queue, sealed },
  );
}
