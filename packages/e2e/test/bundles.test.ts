/** What is in the bundles, and what of it is loaded when a Worker starts. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { readMetafile } from "@hopline/testkit/workspace/build-workers";
import { listModules } from "@hopline/testkit/workspace/bundle-worker";
import { weighBundle } from "@hopline/testkit/workspace/bundle-budget";
import { weighPages, WEB_BUDGET_BYTES } from "@hopline/testkit/workspace/web-budget";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";
import { describe, expect, it } from "vitest";

describe.each([
  ["@clickhouse/client-web", ["api", "consumer"]],
  ["better-auth", ["api"]],
  ["@simplewebauthn/server", ["api"]],
  ["oauth4webapi", ["api"]],
  ["@modelcontextprotocol/server", ["api"]],
  // Of a host name, a picture, and a session's JWT.
  ["tldts", ["api"]],
  ["fast-png", ["api"]],
  ["jose", ["api"]],
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

it("the first JavaScript of every page of the dashboard is at most 180 KB, gzipped", async () => {
  const pages = await weighPages("dist/web");
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter(({ bytes }) => bytes > WEB_BUDGET_BYTES)).toEqual([]);
});

it("the API's document is made when it is bundled, and loaded by who asks for it", async () => {
  const directory = inWorkspace("dist/api");
  const sources = await Promise.all(
    (await listModules(directory)).map((name) => readFile(join(directory, name), "utf8")),
  );
  const holders = sources.map((source, index) => ({
    index,
    holds: source.includes('"operationId":"createLink"'),
  }));
  expect(holders.filter(({ holds }) => holds)).toHaveLength(1);
  expect(holders[0]?.holds).toBe(false);
});

it.each(WORKERS)("what the $name loads on demand has exports of its own names", async ({ name }) => {
  const directory = inWorkspace(join("dist", name));
  const modules = (await listModules(directory)).filter((path) => path.endsWith(".js"));
  const sources = await Promise.all(modules.map((path) => readFile(join(directory, path), "utf8")));
  // As a CommonJS package is bundled that is loaded on demand itself.
  const isNameless = /export default [\w$]+\(\);\s*(\/\/.*)?\s*$/;
  expect(modules.filter((_path, index) => isNameless.test(sources[index] ?? ""))).toEqual([]);
});
