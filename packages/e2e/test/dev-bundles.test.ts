/** `pnpm dev` bundles with esbuild alone, because that is faster: what it runs is what wrangler would deploy. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createBundles } from "@hopline/ops/dev/bundles";
import { readMetafile } from "@hopline/testkit/workspace/build-workers";
import { weighBundle } from "@hopline/testkit/workspace/bundle-budget";
import { weighWeb, WEB_BUDGET_BYTES } from "@hopline/testkit/workspace/web-budget";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "hopline-bundles-"));
  // The web app is one and the same for both: built by Vite (packages/testkit/src/workspace/build-web.ts).
  const workers = WORKERS.map(({ name, configPath }) => ({ name, configPath: inWorkspace(configPath) }));
  await createBundles(workers, directory).bundleAll();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it.each(WORKERS)(
  "bundles the $name into the bytes that wrangler would deploy",
  ({ name, bundleDirectory }) => {
    const deployed = readFileSync(inWorkspace(`${bundleDirectory}/index.js`));
    expect(deployed.equals(readFileSync(join(directory, name, "index.js")))).toBe(true);
  },
);

describe.each([
  ["@clickhouse/client-web", ["api", "consumer"]],
  ["better-auth", ["api"]],
  ["@simplewebauthn/server", ["api"]],
  ["oauth4webapi", ["api"]],
  ["@modelcontextprotocol/server", ["api"]],
])("%s", (packageName, users) => {
  it.each(WORKERS)(
    "is not loaded when the $name starts, and bundled only where it is used",
    async (worker) => {
      const metafile = await readMetafile(worker);
      const weighed = weighBundle(metafile);
      const atStart = weighed.ok ? weighed.value.forbidden.map((one) => one.packageName) : null;
      expect(atStart).not.toContain(packageName);
      const isBundled = Object.keys(metafile.inputs).some((path) => path.includes(`/${packageName}/`));
      expect(isBundled).toBe(users.includes(worker.name));
    },
  );
});

it.each(["app/links/links-page.tsx", "app/links/link-page.tsx", "app/analytics/analytics-page.tsx"])(
  "the dashboard's first JavaScript with %s stays under its budget",
  async (page) => {
    expect((await weighWeb("dist/web", page)).withPageBytes).toBeLessThanOrEqual(WEB_BUDGET_BYTES);
  },
);
