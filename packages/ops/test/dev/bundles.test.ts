import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createBundles } from "../../src/dev/bundles.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hopline-bundles-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("a saved file", () => {
  const at = (path: string) => join(root, path);
  const write = (path: string, text: string) => writeFileSync(at(path), text);
  const bundled = (name: string) => readFileSync(at(`out/${name}/index.js`), "utf8");

  function openTwo() {
    for (const name of ["producer", "api"]) {
      mkdirSync(at(name));
      write(`${name}/wrangler.jsonc`, `{ "main": "index.ts", "minify": true, } // ${name}`);
      write(
        `${name}/index.ts`,
        `import { shared } from "../shared.ts";\nexport default [shared, "${name}"];`,
      );
    }
    write("shared.ts", `export const shared: string = "one";`);
    return createBundles(
      (["producer", "api"] as const).map((name) => ({ name, configPath: at(`${name}/wrangler.jsonc`) })),
      at("out"),
    );
  }

  it("leads to new bundles of the Workers that it belongs to, and of no other", async () => {
    const bundles = openTwo();
    await bundles.bundleAll();
    const before = bundled("producer");

    write("api/index.ts", `import { shared } from "../shared.ts";\nexport default [shared, "changed"];`);
    expect(await bundles.bundleChanged([at("api/index.ts"), at("api/notes.md")])).toEqual(["api"]);
    expect([bundled("producer"), bundled("api")]).toEqual([before, expect.stringContaining('"changed"')]);

    write("shared.ts", `export const shared: string = "two";`);
    expect(await bundles.bundleChanged([at("shared.ts")])).toEqual(["producer", "api"]);
    expect(bundled("producer")).toContain('"two"');

    expect(await bundles.bundleChanged([at("producer/wrangler.jsonc")])).toEqual(["producer"]);
    expect(await bundles.bundleChanged([at("elsewhere.ts"), at("producer/index.test.ts")])).toEqual([]);
  });

  it("that breaks a Worker is named with the place, and any saved source may repair it", async () => {
    const bundles = openTwo();
    await bundles.bundleAll();
    write("api/index.ts", `import { later } from "./later.ts";\nexport default later;`);
    const changed = bundles.bundleChanged([at("api/index.ts")]);
    await expect(changed).rejects.toThrow(
      /^The api could not be bundled: Could not resolve "\.\/later\.ts" \(\S*api\/index\.ts:1:22\)$/,
    );
    expect(bundled("api")).toContain('"one"');

    write("api/later.ts", "export const later = 1;");
    expect(await bundles.bundleChanged([at("api/later.md")])).toEqual([]);
    expect(await bundles.bundleChanged([at("api/later.ts")])).toEqual(["api"]);
    expect(bundled("api")).not.toContain('"one"');
  });
});
