/** Runs this Worker's `*.worker.test.ts` in workerd, with the bindings of its own wrangler.jsonc. */
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "../../wrangler.jsonc" },
      miniflare: {
        // Never dialled: the tests answer the driver's requests themselves.
        bindings: {
          DATABASE_URL: "postgresql://hopline:secret-of-the-test@db.test.invalid/hopline",
          NEON_SQL_ENDPOINT: "http://db.test.invalid/sql",
          // Each click at once; what lingers is tested with a linger of its own.
          CLICK_LINGER_MS: "0",
          SEAL_KEY: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        },
        serviceBindings: { API: () => new Response("the api answered") },
      },
    }),
  ],
  test: { name: "producer", include: ["test/**/*.worker.test.ts"] },
});
