/** Runs this Worker's `*.worker.test.ts` in workerd, with the bindings of its own wrangler.jsonc. */
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Stands where the consumer would: takes every message, and shows a test what has arrived. */
const QUEUE_READER = `const received = [];
export default {
  queue(batch) { received.push(...batch.messages.map(({ body }) => body)); },
  fetch() { return Response.json(received); },
};`;

/** Plays the API's change feed: answers with the page that a test has put there, or with an empty one. */
const CHANGE_FEED = `import { DurableObject } from "cloudflare:workers";
const empty = { format: 1, feed: "test", oldest: 1, last: 0, changes: [] };
export class ChangeFeed extends DurableObject {
  #page = JSON.stringify(empty);
  #status = 200;
  async fetch(request) {
    if (request.method === "PUT") {
      this.#status = Number(request.headers.get("status") ?? 200);
      this.#page = await request.text();
      return new Response();
    }
    const headers = { "hopline-feed-at": String(Date.now()), "cache-control": "max-age=1" };
    return new Response(this.#page, { status: this.#status, headers });
  }
}
export default { fetch: () => new Response() };`;

export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "../../wrangler.jsonc" },
      miniflare: {
        // Never dialled: the tests answer the driver's requests themselves.
        bindings: {
          DATABASE_URL: "postgresql://hopline:secret-of-the-test@db.test.invalid/hopline",
          NEON_SQL_ENDPOINT: "http://db.test.invalid/sql",
          SEAL_KEY: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
          // Bounds against hanging as well: what they are in a deployment, tests say where something hangs.
          KV_TIMEOUT_MS: "20000",
          DATABASE_TIMEOUT_MS: "20000",
          // In place of a second, which would be waited for.
          CLICK_LINGER_MS: "100",
          VISIT_TIMEOUT_MS: "20000",
        },
        serviceBindings: { API: () => new Response("the api answered"), QUEUE_READER: "queue-reader" },
        workers: [
          {
            name: "hopline-api",
            compatibilityDate: "2026-10-20",
            modules: [{ type: "ESModule", path: "change-feed.js", contents: CHANGE_FEED }],
            durableObjects: { CHANGE_FEED: { className: "ChangeFeed", useSQLite: true } },
          },
          {
            name: "queue-reader",
            compatibilityDate: "2026-10-20",
            modules: [{ type: "ESModule", path: "queue-reader.js", contents: QUEUE_READER }],
            queueConsumers: Object.fromEntries(
              [0, 1, 2, 3].map((shard) => [`hopline-clicks-${shard}`, { maxBatchTimeout: 0 }]),
            ),
          },
        ],
      },
    }),
  ],
  // Bounds against hanging: machines are shared.
  test: {
    name: "workerd:producer",
    include: ["test/**/*.worker.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
