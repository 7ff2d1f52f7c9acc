// The contract of the isolate cache, sentence by sentence.

import { describe, expect, it } from "vitest";

import {
  DEFAULT_BUDGET_BYTES,
  ENTRY_OVERHEAD_BYTES,
  IsolateCache,
  type IsolateCacheOptions,
} from "../src/isolate-cache.ts";

const START_MS = 1_700_000_000_000;

function setUp(options: Partial<IsolateCacheOptions> = {}) {
  const clock = { nowMs: START_MS };
  const cache = new IsolateCache<string>({
    nowMs: () => clock.nowMs,
    random: () => 0,
    budgetBytes: 20,
    negativeBudgetBytes: 5,
    overheadBytes: 0,
    ...options,
  });
  return { cache, clock };
}

const live = (key: string, version = 1) => ({
  kind: "live" as const,
  key,
  value: `${key}@${version}`,
  version,
  costBytes: 1,
});
const absent = (key: string, version = 0) => ({ kind: "negative" as const, key, version, costBytes: 1 });

function fill(cache: IsolateCache<string>, prefix: string, count: number): void {
  for (let index = 0; index < count; index += 1) {
    cache.put(live(`${prefix}${index}`));
  }
}

describe("what is held", () => {
  it("returns what was put, with its version and the time it was stored", () => {
    const { cache } = setUp();
    cache.put(live("a", 3));
    expect(cache.get("a")).toMatchObject({ kind: "live", value: "a@3", version: 3, storedAtMs: START_MS });
  });

  it("knows nothing of a key that was never put", () => {
    expect(setUp().cache.get("a")).toBeUndefined();
  });

  it("forgets a live or an absent key on delete, and says whether it was held", () => {
    const { cache } = setUp();
    cache.put(live("a"));
    cache.put(absent("b"));
    expect([cache.delete("a"), cache.delete("b"), cache.delete("c")]).toEqual([true, true, false]);
    expect([cache.get("a"), cache.get("b"), cache.sizes().liveEntries, cache.sizes().liveBytes]).toEqual([
      undefined,
      undefined,
      0,
      0,
    ]);
  });

  it("forgets what a caller no longer wants, live or absent", () => {
    const { cache } = setUp();
    cache.put(live("host/live"));
    ["host/b", "host/c", "hosts/d"].forEach((key) => cache.put(absent(key)));
    cache.put({ ...absent("host/deleted"), version: 4 });
    cache.deleteWhere(({ key, version }) => version === 0 && key.startsWith("host/"));
    const held = ["host/live", "host/b", "host/c", "hosts/d", "host/deleted"].map(
      (key) => cache.get(key)?.kind,
    );
    expect(held).toEqual(["live", undefined, undefined, "negative", "negative"]);
    expect(cache.sizes().negativeEntries).toBe(2);
  });

  it("does not change an entry that a reader holds when its key is updated or deleted", () => {
    const { cache } = setUp();
    const held = cache.put(live("a", 1));
    cache.put(live("a", 2));
    cache.delete("a");
    expect(held).toMatchObject({ value: "a@1", version: 1 });
  });
});

describe("freshness", () => {
  it("is absolute: asking does not lengthen it", () => {
    const { cache, clock } = setUp();
    cache.put(live("a"));
    clock.nowMs += 29_999;
    cache.get("a");
    clock.nowMs += 1;
    expect(cache.get("a")?.freshUntilMs).toBe(clock.nowMs);
  });

  it("does not remove: a stale entry is still returned, for the read-through to judge", () => {
    const { cache, clock } = setUp();
    cache.put(live("a"));
    cache.put(absent("b"));
    clock.nowMs += 86_400_000;
    expect([cache.get("a")?.kind, cache.get("b")?.kind]).toEqual(["live", "negative"]);
  });

  it.each([
    { draw: 0, liveMs: 30_000, negativeMs: 10_000 },
    { draw: 0.5, liveMs: 28_500, negativeMs: 9_500 },
    { draw: 1, liveMs: 27_000, negativeMs: 9_000 },
  ])("is only ever shortened by jitter (draw $draw)", ({ draw, liveMs, negativeMs }) => {
    const { cache } = setUp({ random: () => draw });
    expect(cache.put(live("a")).freshUntilMs).toBe(START_MS + liveMs);
    expect(cache.put(absent("b")).freshUntilMs).toBe(START_MS + negativeMs);
  });

  it("starts again when the same version is loaded again", () => {
    const { cache, clock } = setUp();
    cache.put(live("a", 4));
    clock.nowMs += 31_000;
    cache.put(live("a", 4));
    expect(cache.get("a")).toMatchObject({ storedAtMs: clock.nowMs, freshUntilMs: clock.nowMs + 30_000 });
  });
});

describe("once all is marked stale", () => {
  it("returns what was held as stale, with its age, and what comes later as fresh", () => {
    const { cache, clock } = setUp();
    cache.put(live("a", 3));
    cache.put(absent("b"));
    clock.nowMs += 1;
    cache.markAllStale();
    expect(cache.get("a")).toMatchObject({ value: "a@3", freshUntilMs: 0, storedAtMs: START_MS });
    expect(cache.get("b")).toMatchObject({ kind: "negative", freshUntilMs: 0 });
    clock.nowMs += 1;
    cache.put(live("a", 3));
    expect(cache.get("a")?.freshUntilMs).toBeGreaterThan(clock.nowMs);
  });

  it("still refuses what is older", () => {
    const { cache } = setUp();
    cache.put(live("a", 3));
    cache.markAllStale();
    expect(cache.put(live("a", 2))).toMatchObject({ version: 3 });
  });
});

describe("version order", () => {
  it("replaces an older version and returns the new entry", () => {
    const { cache } = setUp();
    cache.put(live("a", 1));
    expect(cache.put(live("a", 2))).toMatchObject({ value: "a@2" });
    expect(cache.get("a")).toMatchObject({ value: "a@2" });
  });

  it("keeps a newer version as it is and returns it as the winner", () => {
    const { cache, clock } = setUp();
    const newer = cache.put(live("a", 2));
    clock.nowMs += 5_000;
    expect(cache.put(live("a", 1))).toBe(newer);
    expect(cache.get("a")).toBe(newer);
    expect(newer.storedAtMs).toBe(START_MS);
  });

  it("lets a deletion of a newer version take the place of a live entry", () => {
    const { cache } = setUp();
    cache.put(live("a", 1));
    expect(cache.put(absent("a", 2)).kind).toBe("negative");
    expect([cache.get("a")?.kind, cache.sizes().liveEntries]).toEqual(["negative", 0]);
  });

  it("does not let an old record undo a newer deletion", () => {
    const { cache } = setUp();
    cache.put(absent("a", 2));
    expect(cache.put(live("a", 1)).kind).toBe("negative");
    expect(cache.get("a")?.kind).toBe("negative");
  });

  it("lets a new link take the place of its absence", () => {
    const { cache } = setUp();
    cache.put(absent("a"));
    cache.put(live("a", 1));
    expect([cache.get("a")?.kind, cache.sizes().negativeEntries]).toEqual(["live", 0]);
  });

  it("does not let an absence without a version displace a live entry", () => {
    const { cache } = setUp();
    const held = cache.put(live("a", 1));
    expect(cache.put(absent("a"))).toBe(held);
    expect(cache.get("a")).toBe(held);
  });
});

describe("the budget", () => {
  it("is 16 MiB by default, and each entry pays the fixed overhead", () => {
    const cache = new IsolateCache<string>({ nowMs: () => 0, random: () => 0 });
    const cost = 10_000 - ENTRY_OVERHEAD_BYTES;
    for (let index = 0; index < 2_000; index += 1) {
      cache.put({ ...live(`k${index}`), costBytes: cost });
    }
    expect([DEFAULT_BUDGET_BYTES, cache.sizes().liveBytes]).toEqual([16_777_216, 16_770_000]);
    expect(cache.sizes().liveEntries).toBe(1_677);
  });

  it("keeps no entry whose cost is above a tenth of it, nor the old value it would replace", () => {
    const { cache } = setUp();
    const costBytes = 3;
    cache.put(live("a", 1));
    expect(cache.put({ ...live("a", 2), costBytes })).toMatchObject({ value: "a@2" });
    expect([cache.get("a"), cache.sizes().liveEntries, cache.sizes().liveBytes]).toEqual([undefined, 0, 0]);
    cache.put({ ...absent("b"), costBytes: costBytes * 2 });
    expect(cache.sizes()).toMatchObject({ negativeEntries: 0, negativeBytes: 0 });
  });

  it("holds when an update costs more than what it replaces", () => {
    const { cache } = setUp();
    fill(cache, "k", 20);
    for (let index = 0; index < 20; index += 1) {
      cache.put({ ...live(`k${index}`, 2), costBytes: 2 });
      expect(cache.sizes().liveBytes).toBeLessThanOrEqual(20);
    }
  });

  it("rounds a cost up to whole bytes and counts at least one", () => {
    const { cache } = setUp();
    expect(
      [0, 0.2, 1.5].map((costBytes, index) => cache.put({ ...live(`k${index}`), costBytes }).costBytes),
    ).toEqual([1, 1, 2]);
    expect(cache.sizes().liveBytes).toBe(4);
  });
});

describe("eviction", () => {
  it("is counted, apart from what was not let in or never asked for again, since it was last asked for", () => {
    const { cache } = setUp();
    fill(cache, "old", 20);
    expect(cache.takePressure()).toEqual({ evictions: 0, refused: 0 });
    cache.put({ ...live("too large"), costBytes: 3 });
    fill(cache, "scan", 100);
    expect(cache.takePressure()).toEqual({ evictions: 0, refused: 101 });
    for (let index = 0; index < 100; index += 1) {
      cache.put(live(`used${index}`));
      cache.get(`used${index}`);
      cache.get(`used${index}`);
    }
    // Each new one has pushed one out.
    const { evictions, refused } = cache.takePressure();
    expect([evictions + refused, evictions > 90]).toEqual([100, true]);
    expect(cache.takePressure()).toEqual({ evictions: 0, refused: 0 });
  });

  it("lets a key that was asked for twice outlive a scan", () => {
    const { cache } = setUp();
    fill(cache, "old", 20);
    cache.put(live("wanted"));
    cache.get("wanted");
    cache.get("wanted");
    fill(cache, "scan", 1_000);
    expect(cache.get("wanted")).toMatchObject({ value: "wanted@1" });
  });

  it("lets a key that was asked for once go with the scan, but take it in for good when it comes back soon", () => {
    const { cache } = setUp();
    fill(cache, "old", 20);
    cache.put(live("returning"));
    cache.get("returning");
    fill(cache, "scan", 5);
    expect(cache.get("returning")).toBeUndefined();
    cache.put(live("returning"));
    cache.get("returning");
    fill(cache, "more", 1_000);
    expect(cache.get("returning")).toMatchObject({ value: "returning@1" });
  });

  it("gives an entry of the main queue at most three more rounds for its hits, however many they were", () => {
    const { cache } = setUp();
    cache.put(live("once-popular"));
    for (let hit = 0; hit < 1_000; hit += 1) {
      cache.get("once-popular");
    }
    // Each key is asked for twice, so that the main queue turns over.
    for (let index = 0; index < 500; index += 1) {
      cache.put(live(`new${index}`));
      cache.get(`new${index}`);
      cache.get(`new${index}`);
    }
    expect(cache.get("once-popular")).toBeUndefined();
  });
});
