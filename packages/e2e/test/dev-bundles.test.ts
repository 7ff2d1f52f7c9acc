/** `pnpm dev` bundles with esbuild alone, because that is faster: what it runs is what wrangler would deploy. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createBundles } from "@hopline/ops/dev/bundles";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";
import { afterAll, beforeAll, expect, it } from "vitest";

let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "hopline-bundles-"));
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
