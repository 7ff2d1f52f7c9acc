/** Runs this Worker's `*.worker.test.ts` in workerd, with the bindings of its own wrangler.jsonc. */
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Stands where the consumer would: takes every message, and shows a test what has arrived. */
const QUEUE_READER = `const received = [];
export default {
  queue(batch) { received.push(...batch.messages.map(({ body }) => body)); },
  fetch() { return Response.json(received); },
};`;

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
        },
        serviceBindings: { API: () => new Response("the api answered"), QUEUE_READER: "queue-reader" },
        workers: [
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
  test: { name: "producer", include: ["test/**/*.worker.test.ts"] },
});
