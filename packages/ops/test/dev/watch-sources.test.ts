import { expect, it } from "vitest";

import { createBurstGate } from "../../src/dev/watch-sources.ts";

function startGate() {
  const calls: (readonly string[])[] = [];
  let finish: () => void = () => undefined;
  const gate = createBurstGate((paths) => {
    calls.push(paths);
    return new Promise((resolve) => (finish = resolve));
  }, 0);
  return { gate, calls, finish: () => finish() };
}

it("makes one call of a burst, with every file once, and one more for what changes during a call", async () => {
  const { gate, calls, finish } = startGate();
  ["a.ts", "b.ts", "a.ts"].forEach((path) => gate.notify(path));
  await expect.poll(() => calls).toEqual([["a.ts", "b.ts"]]);
  gate.notify("b.ts");
  gate.notify("c.ts");
  expect(calls).toHaveLength(1);
  finish();
  await expect
    .poll(() => calls)
    .toEqual([
      ["a.ts", "b.ts"],
      ["b.ts", "c.ts"],
    ]);
  finish();
  await gate.stop();
});

it("makes no call after the end, which waits for a running one", async () => {
  const { gate, calls, finish } = startGate();
  gate.notify("a.ts");
  await expect.poll(() => calls).toHaveLength(1);
  gate.notify("b.ts");
  let hasStopped = false;
  const stopped = gate.stop().then(() => (hasStopped = true));
  await Promise.resolve();
  expect(hasStopped).toBe(false);
  finish();
  await stopped;
  expect(calls).toHaveLength(1);
});
