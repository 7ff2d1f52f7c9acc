/**
 * All layers of tests. Pure and contract tests run in Node; `*.worker.test.ts` run in workerd, one project a Worker;
 * packages/e2e drives the production bundles. `pnpm test` supplies a database in DATABASE_URL.
 */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "node",
          include: [
            "packages/*/test/**/*.test.ts",
            "workers/*/test/**/*.test.ts",
            "load-tests/**/test/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", "**/*.worker.test.ts", "packages/e2e/**"],
          // A bound against hanging, not a measure of speed: machines are shared, and these start real servers.
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      "workers/*/vitest.config.ts",
      {
        test: {
          name: "system",
          include: ["packages/e2e/test/**/*.test.ts"],
          globalSetup: ["packages/e2e/test/build-bundles.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // Each file owns a whole local stack; on two cores they would only disturb each other.
          fileParallelism: false,
        },
      },
    ],
  },
});
