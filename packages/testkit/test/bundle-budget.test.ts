import { describe, expect, it } from "vitest";

import { describeWeight, judgeBundle, type Metafile, weighBundle } from "../src/workspace/bundle-budget.ts";

const ENTRY = "workers/producer/src/index.ts";
const DRIVER =
  "node_modules/.pnpm/@neondatabase+serverless@1.2.0/node_modules/@neondatabase/serverless/index.mjs";
const ZOD = "node_modules/.pnpm/zod@4.6.7/node_modules/zod/v4/index.js";
const BUDGET_BYTES = 1_000;
/** Of an output that the first one imports. */
const SHARED_BYTES = 3;

type Module = {
  readonly bytes: number;
  readonly imports?: readonly (readonly [path: string, kind: string])[];
};

/** What esbuild would write about these modules: those that are `lazy` are in an output of their own. */
function aMetafile(
  modules: Readonly<Record<string, Module>>,
  lazy: readonly string[] = [],
  glueBytes = 0,
): Metafile {
  const entries = Object.entries(modules);
  const outputOf = (ofLazy: boolean, ownBytes: number) => {
    const inputs = entries.filter(([path]) => lazy.includes(path) === ofLazy);
    return {
      bytes: inputs.reduce((sum, [, module]) => sum + module.bytes, ownBytes),
      imports: [],
      inputs: Object.fromEntries(inputs.map(([path, module]) => [path, { bytesInOutput: module.bytes }])),
    };
  };
  return {
    inputs: Object.fromEntries(
      entries.map(([path, { imports = [] }]) => [
        path,
        {
          imports: imports.map(([target, kind]) => ({ path: target, kind, external: !(target in modules) })),
        },
      ]),
    ),
    outputs: {
      "dist/producer/index.js.map": { bytes: 99_999, imports: [], inputs: {} },
      "dist/producer/lazy-ABC.js": outputOf(true, 0),
      "dist/producer/shared-ABC.js": { bytes: SHARED_BYTES, imports: [], inputs: {} },
      "dist/producer/index.js": {
        ...outputOf(false, glueBytes),
        entryPoint: ENTRY,
        imports: [
          { path: "dist/producer/shared-ABC.js", kind: "import-statement" },
          { path: "dist/producer/lazy-ABC.js", kind: "dynamic-import" },
        ],
      },
    },
  };
}

function weigh(metafile: Metafile) {
  const weighed = weighBundle(metafile);
  if (!weighed.ok) {
    throw new Error(weighed.error.reason);
  }
  return weighed.value;
}

describe("the weight of a bundle", () => {
  it("counts what static imports reach and esbuild's glue as start-up, what import() reaches as lazy", () => {
    const weight = weigh(
      aMetafile(
        {
          [ENTRY]: {
            bytes: 300,
            imports: [
              ["packages/db/src/client.ts", "import-statement"],
              ["cloudflare:workers", "import-statement"],
            ],
          },
          "packages/db/src/client.ts": { bytes: 100, imports: [[DRIVER, "dynamic-import"]] },
          [DRIVER]: {
            bytes: 5_000,
            imports: [["node_modules/only-for-the-driver/index.js", "import-statement"]],
          },
          "node_modules/only-for-the-driver/index.js": { bytes: 50 },
        },
        [DRIVER, "node_modules/only-for-the-driver/index.js"],
        7,
      ),
    );
    expect(weight).toEqual({ startUpBytes: 410, lazyBytes: 5_050, forbidden: [] });
    expect(judgeBundle(weight, BUDGET_BYTES)).toEqual([]);
  });

  it("counts a module that is imported both ways as start-up", () => {
    const weight = weigh(
      aMetafile({
        [ENTRY]: {
          bytes: 10,
          imports: [
            ["shared.ts", "dynamic-import"],
            ["other.ts", "import-statement"],
          ],
        },
        "other.ts": { bytes: 1, imports: [["shared.ts", "import-statement"]] },
        "shared.ts": { bytes: 20 },
      }),
    );
    expect(weight.startUpBytes).toBe(34);
  });

  it("survives a circle of imports", () => {
    const weight = weigh(
      aMetafile({
        [ENTRY]: { bytes: 1, imports: [["a.ts", "import-statement"]] },
        "a.ts": { bytes: 2, imports: [[ENTRY, "import-statement"]] },
      }),
    );
    expect(weight.startUpBytes).toBe(6);
  });

  it("is unknown where the metafile names no entry point", () => {
    expect(weighBundle({ inputs: {}, outputs: {} })).toEqual({
      ok: false,
      error: { reason: "no_entry_point" },
    });
  });

  it("reads as one line", () => {
    const weight = { startUpBytes: 12_595, lazyBytes: 150_528, forbidden: [] };
    expect(describeWeight(weight, 40_960)).toBe("start-up 12.3 KB of 40 KB, lazy 147 KB");
  });
});

describe("the verdict on a bundle", () => {
  it.each([
    [1_000, []],
    [1_001, ["start-up is 1 bytes over its budget of 1 KB"]],
  ])("over %i start-up bytes of 1,000 is %j", (bytes, complaints) => {
    expect(judgeBundle(weigh(aMetafile({ [ENTRY]: { bytes: bytes - SHARED_BYTES } })), BUDGET_BYTES)).toEqual(
      complaints,
    );
  });

  it("names a forbidden package and the imports that lead to it", () => {
    const weight = weigh(
      aMetafile({
        [ENTRY]: { bytes: 1, imports: [["packages/core/src/check.ts", "import-statement"]] },
        "packages/core/src/check.ts": { bytes: 1, imports: [[ZOD, "import-statement"]] },
        [ZOD]: { bytes: 1 },
      }),
    );
    expect(judgeBundle(weight, BUDGET_BYTES)).toEqual([
      `zod is imported at start-up: ${ENTRY} > packages/core/src/check.ts > node_modules/zod/v4/index.js`,
    ]);
  });

  it.each(["hono", "drizzle-orm", "bowser", "ua-parser-js", "@neondatabase/serverless"])(
    "refuses %s behind a static import, and nothing whose name only begins like it",
    (name) => {
      const withImport = (path: string) =>
        weigh(aMetafile({ [ENTRY]: { bytes: 1, imports: [[path, "require-call"]] }, [path]: { bytes: 1 } }));
      expect(withImport(`node_modules/${name}/index.js`).forbidden.map((found) => found.packageName)).toEqual(
        [name],
      );
      expect(withImport(`node_modules/${name}-lite/index.js`).forbidden).toEqual([]);
      expect(withImport(`packages/core/src/${name}/index.ts`).forbidden).toEqual([]);
    },
  );
});
