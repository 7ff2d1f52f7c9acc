/**
 * One queue batch: decode, write, settle every message. Returning normally acknowledges what was not retried, so each
 * message is settled by name, and a failure is never swallowed.
 */
import type { ClickRow } from "@hopline/db/insert-clicks";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import type { Log } from "./log.ts";
import { type BatchMessage, planBatch } from "./plan-batch.ts";
import { retryDelaySeconds } from "./retry-delay.ts";

export type BatchDeps = {
  /** Writes rows, each at most once, and says how many were new. Rejects when the database does. */
  readonly insertClicks: (rows: readonly ClickRow[]) => Promise<number>;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
};

export interface SettledMessage extends BatchMessage {
  ack(): void;
  retry(options: { readonly delaySeconds: number }): void;
}

/** A message that is no segment waits this long between its deliveries, then goes to the dead-letter queue. Seconds. */
const MALFORMED_DELAY_SECONDS = 60;

export async function handleBatch(
  queue: string,
  messages: readonly SettledMessage[],
  deps: BatchDeps,
): Promise<void> {
  const plan = planBatch(messages);
  for (const { message, field } of plan.malformed) {
    deps.log({ event: "segment.rejected", queue, messageId: message.id, field });
    message.retry({ delaySeconds: MALFORMED_DELAY_SECONDS });
  }
  if (plan.rows.length === 0) {
    return;
  }
  const segments = plan.segments.length;
  try {
    const inserted = await deps.insertClicks(plan.rows);
    for (const message of plan.segments) {
      message.ack();
    }
    deps.log({ event: "batch.inserted", queue, segments, clicks: plan.rows.length, inserted });
  } catch (error) {
    const { reason, sqlState } = toDatabaseFailure(error);
    const attempts = Math.max(...plan.segments.map((message) => message.attempts));
    const delaySeconds = retryDelaySeconds(attempts, deps.random());
    for (const message of plan.segments) {
      message.retry({ delaySeconds });
    }
    deps.log({ event: "batch.retried", queue, segments, delaySeconds, reason, sqlState });
  }
}
