/** Small modules in front of the production bundles, which ask this process what shall happen to a call of the platform. */
import { putInFront } from "@hopline/testkit/runtime/put-in-front";
import type { WorkerRuntimeOptions } from "@hopline/testkit/runtime/worker-runtime";
import type { Fault } from "./schedule.ts";

type Arrange = NonNullable<WorkerRuntimeOptions["arrange"]>;

const ASK = `const has = async (env, fault) => (await env.FAULTS.fetch("http://faults/" + fault)).status === 200;`;

/** An invocation whose handler has thrown is over: what it waited for is cut off wherever that is. */
const DIE_MIDWAY = `
const dieMidway = async (work) => {
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve, Math.random() * 200))]);
  throw new Error("killed by the torture");
};`;

const PRODUCER = `
import producer from "./index.js";
${ASK}
let faulty;
const withFaults = (env) => ({ ...env, ...Object.fromEntries(
  Object.entries(env).filter(([name]) => name.startsWith("CLICKS_")).map(([name, queue]) => [name, {
    async send(text, options) {
      if (await has(env, "queue-refuses")) throw new Error("refused by the torture");
      for (let copy = (await has(env, "queue-delivers-thrice")) ? 3 : 1; copy > 0; copy -= 1) await queue.send(text, options);
      if (await has(env, "queue-denies")) throw new Error("denied by the torture");
    },
  }])) });
export default { fetch: (request, env, ctx) => producer.fetch(request, (faulty ??= withFaults(env)), ctx) };
`;

const CONSUMER = `
import consumer from "./index.js";
export * from "./index.js";
${ASK}${DIE_MIDWAY}
export default {
  async queue(batch, env, ctx) {
    if (await has(env, "consumer-dies-midway")) return dieMidway(consumer.queue(batch, env, ctx));
    const after = await has(env, "consumer-dies-after");
    if (!after && !(await has(env, "consumer-dies-before"))) return consumer.queue(batch, env, ctx);
    const messages = batch.messages.map(({ id, attempts, body }) => ({ id, attempts, body, ack() {}, retry() {} }));
    if (after) await consumer.queue({ queue: batch.queue, messages }, env, ctx);
    throw new Error("killed by the torture");
  },
  scheduled: (controller, env, ctx) => consumer.scheduled(controller, env, ctx),
};
`;

const API = `
import api from "./index.js";
export * from "./index.js";
${ASK}${DIE_MIDWAY}
let faulty;
const withFaults = (env) => ({ ...env, LINKS: {
  get: (...values) => env.LINKS.get(...values),
  getWithMetadata: (...values) => env.LINKS.getWithMetadata(...values),
  list: (...values) => env.LINKS.list(...values),
  delete: (...values) => env.LINKS.delete(...values),
  async put(...values) {
    if (await has(env, "kv-writes-refused")) throw new Error("KV PUT failed: 503 Service Unavailable");
    return env.LINKS.put(...values);
  },
} });
export default {
  fetch: (request, env, ctx) => api.fetch(request, (faulty ??= withFaults(env)), ctx),
  queue: (batch, env, ctx) => api.queue(batch, (faulty ??= withFaults(env)), ctx),
  async scheduled(controller, env, ctx) {
    const work = api.scheduled(controller, (faulty ??= withFaults(env)), ctx);
    return (await has(env, "api-dies-midway")) ? dieMidway(work) : work;
  },
};
`;

const ENTRIES: Readonly<Record<string, string>> = {
  "hopline-producer": PRODUCER,
  "hopline-consumer": CONSUMER,
  "hopline-api": API,
};

export function createArrange(isActive: (fault: Fault) => boolean): Arrange {
  return (worker) =>
    putInFront(
      worker,
      ENTRIES,
      ({ pathname }) => new Response(null, { status: isActive(pathname.slice(1) as Fault) ? 200 : 204 }),
    );
}
