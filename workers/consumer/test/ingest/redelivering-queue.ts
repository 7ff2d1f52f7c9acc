/**
 * A queue for tests that behaves as badly as Cloudflare's may: it delivers at least once, in any order, until a message
 * is acknowledged, and whole batches again if their consumer crashes. It ignores delays.
 */
import type { SettledMessage } from "../../src/ingest/retry-later.ts";

export type QueuedMessage = { readonly id: string; readonly body: string; readonly attempts: number };

export type ConsumeBatch = (messages: readonly SettledMessage[]) => Promise<"settled" | "crashed">;

export function createRedeliveringQueue(batchSize: number) {
  const waiting: QueuedMessage[] = [];
  let inFlight = 0;
  let redeliveries = 0;

  const deliver = async (batch: readonly QueuedMessage[], consume: ConsumeBatch): Promise<void> => {
    const settled = new Map<string, "ack" | "retry">();
    const messages = batch.map((message) => ({
      ...message,
      ack: () => void settled.set(message.id, "ack"),
      retry: () => void settled.set(message.id, "retry"),
    }));
    inFlight += batch.length;
    const outcome = await consume(messages);
    inFlight -= batch.length;
    for (const message of batch) {
      // A crash undoes what the consumer settled. Returning acknowledges what it did not settle.
      if (outcome === "crashed" || settled.get(message.id) === "retry") {
        redeliveries += 1;
        waiting.push({ ...message, attempts: message.attempts + 1 });
      }
    }
  };
  return {
    send: (id: string, body: string) => void waiting.push({ id, body, attempts: 1 }),
    backlog: () => waiting.length + inFlight,
    redeliveries: () => redeliveries,
    /** Delivers one batch; false if there is none. */
    async deliverOne(consume: ConsumeBatch): Promise<boolean> {
      const batch = waiting.splice(0, batchSize);
      if (batch.length === 0) {
        return false;
      }
      await deliver(batch, consume);
      return true;
    },
  };
}

export type RedeliveringQueue = ReturnType<typeof createRedeliveringQueue>;
