/**
 * One batch of a shard: decode, enrich, write, settle every message by name. Returning normally would acknowledge what
 * was not retried, so no failure may be swallowed.
 */
import { type DatabaseFailure, toDatabaseFailure } from "@hopline/db/database-failure";
import { buryMessage } from "../dead-letters/bury.ts";
import type { Enrichment } from "../enrich/enrichment.ts";
import type { Log } from "../log.ts";
import { type PendingSegment, toPendingSegment } from "./pending-segment.ts";
import { planBatch, type PlannedSegment, textOfBody } from "./plan-batch.ts";
import { retryLater, type SettledMessage } from "./settle.ts";
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
    await buryOrRetry(queue, { message, field }, deps);
  }
}

async function writePlanned(
  queue: string,
  planned: readonly PlannedSegment<SettledMessage>[],
  deps: BatchDeps,
): Promise<void> {
  if (planned.length === 0) {
    return;
  }
  const receivedAtMs = deps.nowMs();
  const enriched = await Promise.all(
    planned.map((one) => enrichOrRetry(queue, { planned: one, receivedAtMs }, deps)),
  );
  const segments = enriched.filter((segment) => segment !== null);
  const { inserted, refused, failed } = await writeSegments(segments, queue, deps);
  const retried: SettledMessage[] = [];
  for (const [index, { messages }] of planned.entries()) {
    const segment = enriched[index] ?? null;
    if (segment !== null && failed.has(segment)) {
      retried.push(...messages);
    } else if (segment !== null) {
      messages.forEach((message) => message.ack());
    }
  }
  if (failed.size < segments.length) {
    const written = segments.filter((segment) => !failed.has(segment));
    const clicks = written.reduce((sum, segment) => sum + segment.rows.length, 0);
    deps.log({ event: "batch.inserted", queue, segments: written.length, clicks, inserted, refused });
  }
  const [failure] = failed.values();
  if (failure !== undefined) {
    retryBatch(queue, { messages: retried, failure }, deps);
  }
}

/** Enrichment is total. Should it fail all the same, it costs the tries of one segment and not those of its neighbours. */
async function enrichOrRetry(
  queue: string,
  work: { readonly planned: PlannedSegment<SettledMessage>; readonly receivedAtMs: number },
  deps: BatchDeps,
): Promise<PendingSegment | null> {
  const { segment, messages } = work.planned;
  try {
    const retries = messages.reduce((sum, { attempts }) => sum + attempts - 1, 0);
    const delivery = { copies: messages.length, retries, receivedAtMs: work.receivedAtMs };
    return await toPendingSegment(segment, delivery, deps);
  } catch (error) {
    const reason = error instanceof Error ? error.name : typeof error;
    deps.log({ event: "segment.crashed", queue, reason, delaySeconds: retryLater(messages, deps.random) });
    return null;
  }
}

async function buryOrRetry(
  queue: string,
  { message, field }: { readonly message: SettledMessage; readonly field: string },
  deps: BatchDeps,
): Promise<void> {
  try {
    await buryMessage(textOfBody(message.body), { source: queue, reason: field }, deps);
    message.ack();
    deps.log({ event: "message.dead_lettered", queue, messageId: message.id, field });
  } catch (error) {
    retryBatch(queue, { messages: [message], failure: toDatabaseFailure(error) }, deps);
  }
}

function retryBatch(
  queue: string,
  work: { readonly messages: readonly SettledMessage[]; readonly failure: DatabaseFailure },
  deps: BatchDeps,
): void {
  const delaySeconds = retryLater(work.messages, deps.random);
  const { reason, sqlState } = work.failure;
  const messages = work.messages.length;
  deps.log({ event: "batch.retried", queue, messages, delaySeconds, reason, sqlState });
}
