/**
 * One batch of a shard, or of the dead-letter queue behind all of them: decode, enrich, write, settle each message by
 * itself. Returning normally acknowledges whatever was not retried, so no failure may be swallowed.
 */
import { isDeadLetterQueue, isLastDelivery, keepInLog } from "../dead-letters/last-delivery.ts";
import type { Enrichment } from "../enrich/enrichment.ts";
import type { Log } from "../log.ts";
import { buryMessage, type WriteFailure } from "./bury.ts";
import { type PendingSegment, toPendingSegment } from "./pending-segment.ts";
import { planBatch, type PlannedSegment, textOfBody } from "./plan-batch.ts";
import { retryLater, type SettledMessage } from "./retry-later.ts";
import { type WriteDeps, writeSegments } from "./write-segments.ts";

export type BatchDeps = WriteDeps &
  Enrichment & {
    /** Epoch milliseconds. */
    readonly nowMs: () => number;
    /** In [0, 1). */
    readonly random: () => number;
    readonly log: Log;
  };

export async function handleBatch(
  queue: string,
  messages: readonly SettledMessage[],
  deps: BatchDeps,
): Promise<void> {
  const plan = planBatch(messages);
  await writePlanned(queue, plan.segments, deps);
  for (const { message, field } of plan.undecodable) {
    const verdict = { source: queue, reason: field };
    const buried = await buryMessage(textOfBody(message.body), verdict, deps);
    if (buried.ok) {
      message.ack();
      deps.log({ event: "message.dead_lettered", queue, messageId: message.id, field });
    } else {
      await retryBatch(queue, { messages: [message], failure: buried.error }, deps);
    }
  }
}

async function writePlanned(
  queue: string,
  planned: readonly PlannedSegment<SettledMessage>[],
  deps: BatchDeps,
): Promise<void> {
  const receivedAtMs = deps.nowMs();
  const enriched = await Promise.all(
    planned.map(async ({ segment, messages }) => {
      const retries = messages.reduce((sum, { attempts }) => sum + attempts - 1, 0);
      const delivery = { copies: messages.length, retries, receivedAtMs };
      return { messages, segment: await toPendingSegment(segment, delivery, deps) };
    }),
  );
  // Enrichment should never crash. If it does, only this segment is retried: the next release may read it. Once its tries
  // are used up, the clicks that crash are buried and all others are written.
  const isCrashed = ({ crash }: PendingSegment) => crash !== null && !isDeadLetterQueue(queue);
  const crashed = enriched.filter(({ segment }) => isCrashed(segment));
  for (const { messages, segment } of crashed) {
    const delaySeconds = retryLater(queue, messages, deps.random);
    deps.log({ event: "segment.crashed", queue, reason: segment.crash ?? "", delaySeconds });
  }
  const ready = enriched.filter(({ segment }) => !isCrashed(segment));
  const { inserted, refused, failed } = await writeSegments(
    ready.map(({ segment }) => segment),
    queue,
    deps,
  );
  const written = ready.filter(({ segment }) => !failed.has(segment));
  written.flatMap(({ messages }) => messages).forEach((message) => message.ack());
  if (written.length > 0) {
    const clicks = written.reduce((sum, { segment }) => sum + segment.rows.length, 0);
    deps.log({ event: "batch.inserted", queue, segments: written.length, clicks, inserted, refused });
  }
  const [failure] = failed.values();
  if (failure !== undefined) {
    const unwritten = ready.filter(({ segment }) => failed.has(segment));
    await retryBatch(queue, { messages: unwritten.flatMap(({ messages }) => messages), failure }, deps);
  }
}

/** Retries messages that could not be written or buried now. */
async function retryBatch(
  queue: string,
  work: { readonly messages: readonly SettledMessage[]; readonly failure: WriteFailure },
  deps: BatchDeps,
): Promise<void> {
  for (const message of work.messages) {
    if (isLastDelivery(queue, message)) {
      await keepInLog(queue, message, deps);
    }
  }
  const delaySeconds = retryLater(queue, work.messages, deps.random);
  const { reason, sqlState } = work.failure;
  deps.log({
    event: "batch.retried",
    queue,
    messages: work.messages.length,
    delaySeconds,
    reason,
    sqlState,
  });
}
