/**
 * Faults between the Workers and their platform: queues and KV that refuse, queues that deliver three times, a consumer
 * that crashes. The bundles are the production ones; a small module in front of each hands it bindings and batches and
 * asks the test, over a service binding, what shall happen to them.
 */
import { putInFront } from "@hopline/testkit/runtime/put-in-front";
import type { WorkerRuntimeOptions } from "@hopline/testkit/runtime/worker-runtime";

type Arrange = NonNullable<WorkerRuntimeOptions["arrange"]>;

/** What happens to a segment that the producer hands to a queue. */
export type SendFault =
  | "refused"
  /** It is in the queue, and the producer is told that it is not. */
  | "accepted_and_denied"
  | "delivered_three_times";

/** When the consumer's invocation dies; nothing it was given is acknowledged then. */
export type CrashPoint = "before_the_statement" | "during_the_statement" | "after_the_commit";

export type WorkerFaults = {
  readonly arrange: Arrange;
  /** Asked for every segment; `shard` as the binding is named. */
  setSendFault(decide: ((shard: string) => SendFault | null) | null): void;
  setSpillRefusing(isRefusing: boolean): void;
  /** The next batch of clicks dies at this point. Resolves when it is dead. */
  crashNextBatch(point: CrashPoint): Promise<void>;
  /** Says that a statement is with the database: the moment for a crash in the middle of one. */
  statementStarted(): void;
  /** How often a fault of this module has happened. */
  counts(): Readonly<Record<SendFault | "spill_refused", number>>;
};

/** An isolate sees one `env` for its whole life, so the faulty one is made once. */
const PRODUCER_ENTRY = `
import producer from "./index.js";
let faulty;
export default {
  fetch(request, env, ctx) {
    faulty ??= withFaults(env);
    return producer.fetch(request, faulty, ctx);
  },
};
function withFaults(env) {
  const ask = async (what) => (await env.FAULTS.fetch("http://faults/" + what)).text();
  const shards = Object.entries(env).filter(([name]) => name.startsWith("CLICKS_"));
  const faultyShards = shards.map(([name, queue]) => [name, {
    async send(text, options) {
      const fault = await ask("send/" + name);
      if (fault === "refused") throw new Error("refused by the test");
      for (let copy = fault === "delivered_three_times" ? 3 : 1; copy > 0; copy -= 1) {
        await queue.send(text, options);
      }
      if (fault === "accepted_and_denied") throw new Error("denied by the test");
    },
  }]);
  const SPILL = {
    async put(key, text) {
      if ((await ask("spill")) === "refused") throw new Error("refused by the test");
      await env.SPILL.put(key, text);
    },
  };
  return { ...env, ...Object.fromEntries(faultyShards), SPILL };
}
`;

/**
 * Chance at its shortest: the back-off of a retried message is one second, however often it was tried. A batch that will
 * crash gets messages whose acknowledgement goes nowhere.
 */
const CONSUMER_ENTRY = `
import consumer from "./index.js";
export { SpillShare } from "./index.js";
Math.random = () => 0;
export default {
  async queue(batch, env, ctx) {
    const ask = async (what) => (await env.FAULTS.fetch("http://faults/" + what)).text();
    const point = batch.queue.endsWith("-dead") ? "" : await ask("batch");
    if (point === "") return consumer.queue(batch, env, ctx);
    const messages = batch.messages.map(({ id, attempts, body }) => ({ id, attempts, body, ack() {}, retry() {} }));
    const run = () => consumer.queue({ queue: batch.queue, messages }, env, ctx);
    if (point === "during_the_statement") await Promise.race([run(), ask("statement-started")]);
    if (point === "after_the_commit") await run();
    await ask("crashed");
    throw new Error("crashed by the test");
  },
  scheduled: (controller, env, ctx) => consumer.scheduled(controller, env, ctx),
};
`;

const ENTRIES: Readonly<Record<string, string>> = {
  "hopline-producer": PRODUCER_ENTRY,
  "hopline-consumer": CONSUMER_ENTRY,
};

export function createWorkerFaults(): WorkerFaults {
  let decideSend: ((shard: string) => SendFault | null) | null = null;
  let isSpillRefusing = false;
  let crash: { readonly point: CrashPoint; readonly isOver: PromiseWithResolvers<void> } | null = null;
  let started = Promise.withResolvers<void>();
  const counts = { refused: 0, accepted_and_denied: 0, delivered_three_times: 0, spill_refused: 0 };

  const answers: Readonly<Record<string, (detail: string) => string | Promise<string>>> = {
    send(shard) {
      const fault = decideSend?.(shard) ?? null;
      counts[fault ?? "refused"] += fault === null ? 0 : 1;
      return fault ?? "";
    },
    spill() {
      counts.spill_refused += isSpillRefusing ? 1 : 0;
      return isSpillRefusing ? "refused" : "";
    },
    batch: () => crash?.point ?? "",
    "statement-started": () => started.promise.then(() => ""),
    crashed() {
      crash?.isOver.resolve();
      crash = null;
      return "";
    },
  };
  return {
    arrange: (worker) =>
      putInFront(worker, ENTRIES, async ({ pathname }) => {
        const [, verb = "", detail = ""] = pathname.split("/");
        return new Response(await answers[verb]?.(detail));
      }),
    setSendFault(decide) {
      decideSend = decide;
    },
    setSpillRefusing(isRefusing) {
      isSpillRefusing = isRefusing;
    },
    crashNextBatch(point) {
      started = Promise.withResolvers();
      const isOver = Promise.withResolvers<void>();
      crash = { point, isOver };
      return isOver.promise;
    },
    statementStarted: () => started.resolve(),
    counts: () => ({ ...counts }),
  };
}
