/** What a read-through keeps for ever must be bounded, and a key must not keep the request's URL alive. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createReadThrough } from "../src/read-through.ts";
import { IsolateCache } from "../src/isolate-cache.ts";

it("holds keys, not the URLs they were cut from", async () => {
  const cache = new IsolateCache<string>({ nowMs: () => 0, random: () => 0 });
  const readThrough = createReadThrough<string, string>({
    cache,
    kv: { load: async () => "value" },
    origin: { load: async () => new Map() },
    announced: {
      newerThan: () => undefined,
      versionOf: () => 0,
      isKvDoubted: () => false,
      heardUntilMs: () => -Infinity,
      missedUntilMs: () => -Infinity,
      arrivals: () => 0,
    },
    decode: () => ({ kind: "negative", version: 1, costBytes: 0 }),
    nowMs: () => 0,
    wait: () => new Promise(() => undefined),
    emit: () => undefined,
  });
  const before = heapBytes();
  for (let number = 0; number < 2_000; number += 1) {
    const url = Buffer.from(`https://go.example.com/slug-number-${number}?${"x".repeat(8_000)}`).toString();
    const key = `${url.slice(8, 22)}/${url.slice(23, url.indexOf("?"))}`;
    await readThrough.load(key, {
      defer: () => undefined,
      untilMs: Infinity,
      announced: null,
      isRateLimited: () => false,
      chargeMiss: async () => undefined,
      creditHit: () => undefined,
    });
  }
  expect(cache.sizes().negativeEntries).toBe(2_000);
  // 16 MB of URLs went through; what stays is a few hundred bytes a key.
  expect(heapBytes() - before).toBeLessThan(5_000_000);
});

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collectGarbage: unknown = runInNewContext("gc");
  if (typeof collectGarbage !== "function") {
    throw new Error("this Node has no gc");
  }
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
