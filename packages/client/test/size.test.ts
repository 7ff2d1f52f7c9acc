import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

/** Minified and gzipped: what a page pays for it. */
const BUDGET_BYTES = 3_300;

it("weighs at most 3.3 kB in a page, and needs nothing but the web's own APIs", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${import.meta.dirname}/../src/client.ts`],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    metafile: true,
    write: false,
  });
  const [bundle] = outputFiles;
  expect(Object.keys(metafile.inputs).filter((path) => path.includes("node_modules"))).toEqual([]);
  expect(gzipSync(bundle?.contents ?? "").byteLength).toBeLessThanOrEqual(BUDGET_BYTES);
});
