/** Runs this Worker's `*.worker.test.ts` in workerd, with the bindings of its own wrangler.jsonc. */
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "./wrangler.jsonc" },
      miniflare: {
        // Never dialled here: what needs a database runs in Node over a real one.
        bindings: {
          DATABASE_URL: "postgresql://hopline:secret-of-the-test@db.test.invalid/hopline",
          ALERT_WEBHOOK_URL: "https://alerts.test.invalid/",
        },
      },
    }),
  ],
  // Bounds against hanging: machines are shared.
  test: {
    name: "workerd:api",
    include: ["test/**/*.worker.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
