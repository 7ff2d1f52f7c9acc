import { describe, expect, it } from "vitest";

import { summariseWranglerError } from "../src/workspace/build-workers.ts";

describe("wrangler's errors", () => {
  it.each([
    [
      "one esbuild error, with its place",
      `⛅️ wrangler 4.156.2
✘ [ERROR] Build failed with 1 error:

  ✘ [ERROR] Could not resolve "./nope.ts"

      src/index.ts:8:76:
        8 │ import "./nope.ts";
`,
      `Could not resolve "./nope.ts" (src/index.ts:8:76)`,
    ],
    [
      "an error of the configuration",
      `✘ [ERROR] The entry-point file at "src/index.ts" was not found.\n\n🪵  Logs were written to "x.log"`,
      `The entry-point file at "src/index.ts" was not found.`,
    ],
    [
      "several errors",
      `✘ [ERROR] Build failed with 2 errors:\n✘ [ERROR] First\n\n  a.ts:1:2:\n\n✘ [ERROR] Second\n\n  b.ts:3:4:\n`,
      "First (a.ts:1:2); Second (b.ts:3:4)",
    ],
    [
      "a refusal, with what Cloudflare said",
      "✘ [ERROR] A request to the Cloudflare API (/accounts/a/workers/scripts/x) failed.\n\n  Script too large. [code: 10027]\n  \n  If you think this is a bug, please open an issue\n",
      "A request to the Cloudflare API (/accounts/a/workers/scripts/x) failed. Script too large. [code: 10027]",
    ],
    ["output of another form, as it is", "Segmentation fault", "Segmentation fault"],
  ])("become one line: %s", (_what, output, line) => {
    expect(summariseWranglerError(output)).toBe(line);
  });

  it("are kept whole where one refers to the next lines", () => {
    const output = "✘ [ERROR] Only partially updated:\n\n  - Consumer for x: no such queue";
    expect(summariseWranglerError(output)).toBe(output);
  });
});
