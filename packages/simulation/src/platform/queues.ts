/**
 * Cloudflare Queues: what was accepted is delivered at least once, in no order, in batches; a handler that throws, or is lost, gets all of
 * its batch again; a message that was acknowledged may come again, too; after `max_retries` it goes to the dead-letter queue.
 * https://developers.cloudflare.com/queues/reference/delivery-guarantees
 */
import type { QueueConsumer } from "../runtime/load-worker.ts";
import type { Seeded } from "../time/seeded.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import type { Network, Weather } from "./network.ts";

type Delay = { readonly delaySeconds?: number };

export type Queues = {
  /** `onAccepted`: a message is in the queue, whatever its sender hears of it. */
  readonly bind: (queue: string, onAccepted: (body: unknown) => void) => object;
  /** Messages that are still to be delivered. */
  readonly countWaiting: () => number;
};

type Stored = { readonly id: string; readonly body: unknown; readonly sentAtMs: number; retries: number };

/** Of messages that come again although they were acknowledged. */
const REPEATED_SHARE = 0.03;

export function createQueues(deps: {
  readonly time: VirtualTime;
  readonly random: Seeded;
  readonly weather: Weather;
  readonly network: Network;
  readonly consumers: readonly QueueConsumer[];
  /** Rejects where the handler does, or is lost. */
  readonly deliver: (batch: { readonly queue: string }) => Promise<void>;
}): Queues {
  const { time, random, weather, network, deliver } = deps;
  const queues = new Map<
    string,
    { readonly consumer: QueueConsumer; readonly ready: Stored[]; running: number }
  >();
  for (const consumer of deps.consumers) {
    queues.set(consumer.queue, { consumer, ready: [], running: 0 });
  }
  let lastId = 0;
  let waiting = 0;

  function add(name: string, message: Stored, delayMs: number): void {
    const queue = queues.get(name);
    if (queue === undefined) {
      throw new Error(`nobody consumes the queue ${name}`);
    }
    waiting += 1;
    time.at(time.nowMs() + delayMs, () => {
      queue.ready.splice(random.between(0, queue.ready.length), 0, message);
      const { max_batch_size: size, max_batch_timeout: timeout = 5 } = queue.consumer;
      if (queue.ready.length >= size) {
        start(name);
      } else {
        time.at(time.nowMs() + timeout * 1_000 * random.next(), () => start(name));
      }
    });
  }

  function start(name: string): void {
    const queue = queues.get(name);
    if (queue === undefined || queue.ready.length === 0) {
      return;
    }
    if (queue.running >= (queue.consumer.max_concurrency ?? 250)) {
      time.at(time.nowMs() + 1_000, () => start(name));
      return;
    }
    queue.running += 1;
    const batch = queue.ready.splice(0, random.between(1, queue.consumer.max_batch_size));
    if (queue.ready.length > 0) {
      time.at(time.nowMs() + random.between(0, 500), () => start(name));
    }
    void run(name, batch).finally(() => (queue.running -= 1));
  }

  async function run(name: string, batch: readonly Stored[]): Promise<void> {
    /** By message: `ack`, or after how long again. The first call counts. */
    const settled = new Map<string, "ack" | number>();
    const settle = (id: string, how: "ack" | number): void => void settled.set(id, settled.get(id) ?? how);
    const again = (options?: Delay): number =>
      (options?.delaySeconds ?? queues.get(name)?.consumer.retry_delay ?? 0) * 1_000;
    const messages = batch.map(({ id, body, sentAtMs, retries }) => ({
      id,
      body,
      timestamp: new Date(sentAtMs),
      attempts: retries + 1,
      ack: () => settle(id, "ack"),
      retry: (options?: Delay) => settle(id, again(options)),
    }));
    let fallback: "ack" | number = "ack";
    try {
      const delivered = {
        queue: name,
        messages,
        ackAll: () => messages.forEach(({ ack }) => ack()),
        retryAll: (options?: Delay) => messages.forEach(({ retry }) => retry(options)),
      };
      await deliver(delivered);
    } catch {
      fallback = again();
    }
    // The platform never hears what a lost handler said.
    const isLost = weather.strikes("queue.handler-lost");
    for (const message of batch) {
      const how = isLost ? again() : (settled.get(message.id) ?? fallback);
      waiting -= 1;
      if (how !== "ack") {
        retry(name, message, how);
      } else if (random.chance(REPEATED_SHARE)) {
        add(name, message, random.between(0, 120_000));
      }
    }
  }

  function retry(name: string, message: Stored, delayMs: number): void {
    message.retries += 1;
    const { max_retries: max = 3, dead_letter_queue: dead } = queues.get(name)?.consumer ?? {};
    if (message.retries <= max) {
      add(name, message, delayMs + random.between(0, 1_000));
    } else if (dead !== undefined) {
      add(dead, { ...message, retries: 0 }, 0);
    }
  }

  const accept = (name: string, body: unknown, delaySeconds = 0): void => {
    lastId += 1;
    const message = {
      id: `message-${lastId}`,
      body: structuredClone(body),
      sentAtMs: time.nowMs(),
      retries: 0,
    };
    add(name, message, delaySeconds * 1_000 + random.between(0, 3_000));
  };
  return {
    countWaiting: () => waiting,
    bind(name, onAccepted) {
      const send = (bodies: readonly (Delay & { readonly body: unknown })[]) => {
        const isRefused = weather.strikes("queue.refuses");
        const isLost = weather.strikes("queue.answer-lost");
        const end = isLost ? random.pick(["lost", "hangs"] as const) : undefined;
        const isDone = end !== "hangs" || random.chance(0.5);
        return network.call(
          () => {
            if (isRefused) {
              throw new Error("Queue sendBatch failed: Too Many Requests");
            }
            for (const { body, delaySeconds } of isDone ? bodies : []) {
              onAccepted(body);
              accept(name, body, delaySeconds);
            }
            return {};
          },
          { thereMs: random.between(2, 40), end },
        );
      };
      return {
        send: (body: unknown, options?: Delay) => send([{ body, ...options }]),
        sendBatch: (messages: readonly { readonly body: unknown }[], options?: Delay) =>
          send(messages.map((message) => ({ ...options, ...message }))),
      };
    },
  };
}
