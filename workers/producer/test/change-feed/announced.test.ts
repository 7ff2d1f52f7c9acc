import { arrivalsKeyOf } from "@hopline/core/feed/arrivals";
import type { LinkKey } from "@hopline/core/link/link-address";
import { encodeLinkRecord, type LinkRecord } from "@hopline/core/link/link-record";
import { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import type { ReadTier } from "@hopline/edge-cache/read-through-ports";
import { describe, expect, it } from "vitest";
import { createAnnouncedChanges } from "../../src/change-feed/announced-changes.ts";
import { applyChange, takeIn } from "../../src/change-feed/apply-changes.ts";
import { rescueByAnnounced, yieldToAnnounced } from "../../src/change-feed/yield-to-announced.ts";
import { decodeForCache } from "../../src/decode-for-cache.ts";
import { aChange, aRecord, HOST } from "./a-feed.ts";

const { key } = aChange("spring");
const textOf = (version: number, change: Partial<LinkRecord> = {}): string =>
  encodeLinkRecord(aRecord({ version, ...change }));

describe("a tier", () => {
  it.each<[string, string | null, number, string | null, string | null]>([
    ["gives way to a newer record", textOf(1), 2, textOf(2), textOf(2)],
    ["that says there is none gives way: create after a probed 404", null, 1, textOf(1), textOf(1)],
    ["with the same version stays", textOf(2), 2, "another text", textOf(2)],
    ["with a newer version stays", textOf(3), 2, textOf(2), textOf(3)],
    ["with something damaged gives way", "{", 1, textOf(1), textOf(1)],
    ["that is older than a record too large for the feed has none", textOf(1), 2, null, null],
  ])("%s", async (_what, inTier, version, recordText, expected) => {
    const announced = createAnnouncedChanges(() => 0);
    announced.remember(aChange("spring", { version, recordText }));
    const tier: ReadTier<LinkKey> = { load: async () => inTier };
    expect(await yieldToAnnounced(tier, announced, decodeForCache).load(key)).toBe(expected);
  });

  it("gives way to what was announced while it was asked", async () => {
    const announced = createAnnouncedChanges(() => 0);
    const gate = Promise.withResolvers<string>();
    const tier: ReadTier<LinkKey> = { load: () => gate.promise };
    const loading = yieldToAnnounced(tier, announced, decodeForCache).load(key);
    announced.remember(aChange("spring", { version: 2, recordText: textOf(2) }));
    gate.resolve(textOf(1));
    expect(await loading).toBe(textOf(2));
  });

  it("that is the last one and fails is rescued by what was announced, and else fails", async () => {
    const announced = createAnnouncedChanges(() => 0);
    const broken = { load: () => Promise.reject(new TypeError("down")) };
    const tier = rescueByAnnounced(broken, announced, decodeForCache);
    await expect(tier.load(key)).rejects.toThrow("down");
    announced.remember(aChange("spring", { version: 2, recordText: textOf(2) }));
    expect(await tier.load(key)).toBe(textOf(2));
  });
});

describe("the memory of announced changes", () => {
  it("keeps the newest version, in whatever order they come", () => {
    const announced = createAnnouncedChanges(() => 0);
    for (const version of [2, 5, 3]) {
      announced.remember(aChange("spring", { version }));
    }
    expect(announced.find(key)?.version).toBe(5);
  });

  it("forgets after five minutes", () => {
    let nowMs = 0;
    const announced = createAnnouncedChanges(() => nowMs);
    announced.remember(aChange("spring"));
    nowMs = 299_999;
    expect(announced.find(key)).toBeDefined();
    nowMs = 300_000;
    expect(announced.find(key)).toBeUndefined();
  });

  it("holds 4,096 changes or 2 million characters, and drops the oldest first", () => {
    const many = createAnnouncedChanges(() => 0);
    const large = createAnnouncedChanges(() => 0);
    for (let index = 0; index < 5_000; index += 1) {
      many.remember(aChange(`slug-${index}`));
      large.remember(aChange(`slug-${index}`, { recordText: "x".repeat(10_000) }));
    }
    const held = (memory: typeof many) =>
      Array.from({ length: 5_000 }, (_, index) => index).filter((n) => memory.find(aChange(`slug-${n}`).key));
    expect([held(many).length, held(many)[0]]).toEqual([4_096, 904]);
    expect(held(large).length).toBeLessThan(200);
    expect(held(large).at(-1)).toBe(4_999);
  });
});

describe("a change", () => {
  const open = () => new IsolateCache<LinkRecord>({ nowMs: () => 0, random: () => 0 });
  const apply = (
    cache: IsolateCache<LinkRecord>,
    version: number,
    recordText: string | null,
  ): Promise<void> => applyChange(cache, aChange("spring", { version, recordText }), decodeForCache);

  it("replaces an older record, and leaves a newer one", async () => {
    const cache = open();
    cache.put({ key, value: aRecord({ version: 2 }), version: 2, costBytes: 10 });
    await apply(cache, 1, textOf(1));
    expect(cache.get(key)?.version).toBe(2);
    await apply(cache, 3, textOf(3, { url: "https://example.com/3" }));
    expect(cache.get(key)).toMatchObject({
      kind: "live",
      version: 3,
      value: { url: "https://example.com/3" },
    });
  });

  it("that deletes makes an absence with a version, which no older record replaces", async () => {
    const cache = open();
    cache.put({ key, value: aRecord(), version: 1, costBytes: 10 });
    await apply(cache, 2, textOf(2, { state: "deleted", url: "" }));
    expect(cache.put({ key, value: aRecord(), version: 1, costBytes: 10 })).toMatchObject({
      kind: "negative",
    });
  });

  it("that creates replaces the absence of a probed slug", async () => {
    const cache = open();
    cache.putNegative({ key, version: 0, costBytes: 10 });
    await apply(cache, 1, textOf(1));
    expect(cache.get(key)).toMatchObject({ kind: "live", version: 1 });
  });

  it("of a link that is not held stays out: a thousand edits of cold links push no warm one out", async () => {
    const cache = open();
    await apply(cache, 1, textOf(1));
    expect(cache.get(key)).toBeUndefined();
  });

  it.each([
    ["too large for the feed", null],
    ["that cannot be read", "{"],
  ])("%s removes what it outdates", async (_what, text) => {
    const cache = open();
    cache.put({ key, value: aRecord(), version: 1, costBytes: 10 });
    await apply(cache, 2, text);
    expect(cache.get(key)).toBeUndefined();
  });
});

describe("arrivals on a host", () => {
  const arrivals = (version: number, announcedAtMs = 0) => ({
    ...aChange("", { version, announcedAtMs, recordText: "" }),
    key: arrivalsKeyOf(HOST),
  });
  const open = () => {
    const clock = { nowMs: 0 };
    const cache = new IsolateCache<LinkRecord>({ nowMs: () => clock.nowMs, random: () => 0 });
    const announced = createAnnouncedChanges(() => clock.nowMs);
    const probe = () => cache.putNegative({ key, version: 0, costBytes: 10 });
    return { clock, cache, announced, probe };
  };

  it("end the absences held there, once: a page that says the same again ends none", async () => {
    const { cache, announced, probe } = open();
    probe();
    await takeIn({ cache, announced }, arrivals(1), decodeForCache);
    expect(cache.peek(key)).toBeUndefined();
    probe();
    await takeIn({ cache, announced }, arrivals(1), decodeForCache);
    expect(cache.peek(key)).toMatchObject({ kind: "negative" });
    await takeIn({ cache, announced }, arrivals(2), decodeForCache);
    expect(cache.peek(key)).toBeUndefined();
  });

  it("of more than five minutes ago, which a quiet feed still shows, end none", async () => {
    const { clock, cache, announced, probe } = open();
    clock.nowMs = 300_000;
    probe();
    await takeIn({ cache, announced }, arrivals(1, 0), decodeForCache);
    expect(cache.peek(key)).toMatchObject({ kind: "negative" });
  });

  it("while the last tier is asked make it be asked again, where it said that there is none", async () => {
    const announced = createAnnouncedChanges(() => 0);
    const answers = [null, textOf(1)];
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const tier: ReadTier<LinkKey> = {
      async load() {
        const answer = answers.shift() ?? null;
        asked.resolve();
        await gate.promise;
        return answer;
      },
    };
    const loading = rescueByAnnounced(tier, announced, decodeForCache).load(key);
    await asked.promise;
    announced.remember(arrivals(1));
    gate.resolve();
    expect(await loading).toBe(textOf(1));
    expect(await rescueByAnnounced(tier, announced, decodeForCache).load(key)).toBeNull();
  });
});
