/** Runs this Worker's `*.worker.test.ts` in workerd, with the bindings of its own wrangler.jsonc. */
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Plays the API's clock: each run is to sweep. */
const CLOCK = `import { DurableObject } from "cloudflare:workers";
export class ChangeFeed extends DurableObject { fetch() { return new Response("sweep"); } }
export default { fetch: () => new Response() };`;

export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "./wrangler.jsonc" },
      miniflare: {
        serviceBindings: { USED_UP_LINKS: () => new Response(null, { status: 204 }) },
        workers: [
          {
            name: "hopline-api",
            compatibilityDate: "2026-10-20",
            modules: [{ type: "ESModule", path: "clock.js", contents: CLOCK }],
            durableObjects: { CHANGE_FEED: { className: "ChangeFeed", useSQLite: true } },
          },
        ],
        // Never dialled: the tests answer the driver's requests themselves.
        bindings: {
          DATABASE_URL: "postgresql://hopline:secret-of-the-test@db.test.invalid/hopline",
          NEON_SQL_ENDPOINT: "http://db.test.invalid/sql",
          SEAL_KEY: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
          VISITOR_SECRET: "visitor-secret-of-the-tests-0123456789",
        },
      },
    }),
  ],
  test: {
    name: "workerd:consumer",
    include: ["test/**/*.worker.test.ts"],
    // Bounds against hanging: machines are shared.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A CommonJS package whose names only a bundler sees, as wrangler's does when it builds the Worker.
    deps: { optimizer: { ssr: { enabled: true, include: ["my-ua-parser"] } } },
  },
});
