import { describe, expect, it } from "vitest";

import { createBurstGate, isSource } from "../src/dev/watch-sources.ts";

describe("a changed file", () => {
  it.each(["producer/src/index.ts", "consumer/wrangler.jsonc", "api/src/page.html", "api/package.json"])(
    "%s leads to new bundles",
    (path) => {
      expect(isSource(path)).toBe(true);
    },
  );

  it.each([
    "producer/test/redirect.worker.test.ts",
    "producer/worker-configuration.d.ts",
    "api/node_modules/hono/index.js",
    "api/.wrangler/state/file.json",
    "producer/README.md",
    "producer/src/index.ts~",
  ])("%s does not", (path) => {
    expect(isSource(path)).toBe(false);
  });
});

describe("a burst of changes", () => {
  it("is one run, for the last file of it", async () => {
    const runs: string[] = [];
    const gate = createBurstGate(async (path) => void runs.push(path), 0);
    for (const path of ["a.ts", "b.ts", "c.ts"]) {
      gate.notify(path);
    }
    await expect.poll(() => runs).toEqual(["c.ts"]);
  });

  it("during a run leads to exactly one more, after it", async () => {
    const runs: string[] = [];
    let finish: () => void = () => undefined;
    const gate = createBurstGate((path) => {
      runs.push(path);
      return new Promise((resolve) => (finish = resolve));
    }, 0);
    gate.notify("a.ts");
    await expect.poll(() => runs).toEqual(["a.ts"]);
    gate.notify("b.ts");
    gate.notify("c.ts");
    expect(runs).toEqual(["a.ts"]);
    finish();
    await expect.poll(() => runs).toEqual(["a.ts", "c.ts"]);
    finish();
    await gate.stop();
  });

  it("is not run after the end, which waits for a run under way", async () => {
    const events: string[] = [];
    let finish: () => void = () => undefined;
    const gate = createBurstGate((path) => {
      events.push(path);
      return new Promise((resolve) => (finish = resolve));
    }, 0);
    gate.notify("a.ts");
    await expect.poll(() => events).toEqual(["a.ts"]);
    gate.notify("b.ts");
    const stopped = gate.stop().then(() => events.push("stopped"));
    finish();
    await stopped;
    expect(events).toEqual(["a.ts", "stopped"]);
  });
});
