/**
 * The dead-letter queue's batches: what ran out of tries becomes a row of dead_letters, sealed, where a person finds it.
 * The queue itself would throw it away after four days.
 */
import { decodeSegment } from "@hopline/core/click/segment";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { buryMessage, burySegment } from "./bury.ts";
import type { BatchDeps } from "../ingest/handle-batch.ts";
import { toBuriedSegment } from "../ingest/pending-segment.ts";
import { textOfBody } from "../ingest/plan-batch.ts";
import { retryLater, type SettledMessage } from "../ingest/settle.ts";

/** `max_retries` of the dead-letter queue in wrangler.jsonc, and the first delivery: after this one there is no other. */
export const LAST_DELIVERY = 101;

/** `dead_letter_queue` in wrangler.jsonc; an environment's suffix may follow (environments.jsonc). */
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
    try {
      const isBuried = await buryBody(queue, message.body, deps);
      message.ack();
      if (isBuried) {
        deps.log({ event: "message.dead_lettered", queue, messageId: message.id, field: null });
      }
    } catch (error) {
      await keepInLog(queue, message, deps);
      const { reason, sqlState } = toDatabaseFailure(error);
      const delaySeconds = retryLater([message], deps.random);
      deps.log({ event: "batch.retried", queue, messages: 1, delaySeconds, reason, sqlState });
    }
  }
}

/** False for what holds no click: counts for the metrics are not worth a person's time. */
async function buryBody(queue: string, body: unknown, deps: BatchDeps): Promise<boolean> {
  const segment = decodeSegment(body);
  if (!segment.ok) {
    await buryMessage(textOfBody(body), { source: queue, reason: segment.error.field }, deps);
    return true;
  }
  if (segment.value.clicks.length === 0) {
    return false;
  }
  const pending = toBuriedSegment(segment.value, deps.nowMs());
  await burySegment(pending, { source: queue, reason: "out_of_tries" }, deps);
  return true;
}

/** The last delivery of the last queue: from here on the log line is all there is; `dead-letters import` takes it. */
async function keepInLog(queue: string, message: SettledMessage, deps: BatchDeps): Promise<void> {
  if (message.attempts < LAST_DELIVERY) {
    return;
  }
  try {
    deps.log({ event: "message.unstored", queue, sealed: await deps.seal(textOfBody(message.body)) });
  } catch {
    // Without a key the body must not be printed; that the message is gone has to be.
    deps.log({ event: "message.dropped", queue, messageId: message.id });
  }
}
