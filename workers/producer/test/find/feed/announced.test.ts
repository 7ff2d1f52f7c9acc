import { arrivalsKeyOf } from "@hopline/core/feed/arrivals";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { encodeLinkRecord, type LinkRecord } from "@hopline/core/link/link-record";
import { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import { describe, expect, it } from "vitest";
import { applyChange, createAnnouncedChanges } from "../../../src/find/feed/announced-changes.ts";
import type { EdgeRecord } from "../../../src/ports.ts";
import { aChange, aRecord, HOST } from "./a-feed.ts";

const { key } = aChange("spring");
const textOf = (version: number, change: Partial<LinkRecord> = {}): string =>
  encodeLinkRecord(aRecord({ version, ...change }));

describe("the memory of announced changes", () => {
  it("keeps the newest version, in whatever order they come", () => {
    const announced = createAnnouncedChanges(() => 0);
    for (const version of [2, 5, 3]) {
      announced.remember(aChange("spring", { version, recordText: String(version) }));
    }
    expect(announced.newerThan(key, 4)).toBe("5");
    expect(announced.newerThan(key, 5)).toBeUndefined();
  });

  it("forgets after five minutes", () => {
    let nowMs = 0;
    const announced = createAnnouncedChanges(() => nowMs);
    announced.remember(aChange("spring"));
    nowMs = 299_999;
    expect(announced.newerThan(key, 0)).toBeNull();
    nowMs = 300_000;
    expect(announced.newerThan(key, 0)).toBeUndefined();
  });

  it("remembers for as long again what is announced again, because KV has still not taken it", () => {
    let nowMs = 0;
    const announced = createAnnouncedChanges(() => nowMs);
    announced.remember(aChange("spring", { version: 2 }));
    nowMs = 200_000;
    expect(announced.remember(aChange("spring", { version: 2, announcedAtMs: nowMs }))).toBe(false);
    nowMs = 499_999;
    expect(announced.newerThan(key, 1)).toBeNull();
    announced.remember(aChange("spring", { version: 2, announcedAtMs: 100 }));
    expect(announced.newerThan(key, 1)).toBeNull();
    nowMs = 500_000;
    expect(announced.newerThan(key, 1)).toBeUndefined();
  });

  it("holds 4,096 changes or 2 million characters, and drops the oldest first", () => {
    const many = createAnnouncedChanges(() => 0);
    const large = createAnnouncedChanges(() => 0);
    for (let index = 0; index < 5_000; index += 1) {
      many.remember(aChange(`slug-${index}`));
      large.remember(aChange(`slug-${index}`, { recordText: "x".repeat(10_000) }));
    }
    const held = (memory: typeof many) =>
      Array.from({ length: 5_000 }, (_, index) => index).filter(
        (n) => memory.newerThan(aChange(`slug-${n}`).key, 0) !== undefined,
      );
    expect([held(many).length, held(many)[0]]).toEqual([4_096, 904]);
    expect(held(large).length).toBeLessThan(200);
    expect(held(large).at(-1)).toBe(4_999);
  });
});

describe("a change", () => {
  const open = () => new IsolateCache<EdgeRecord>({ nowMs: () => 0, random: () => 0 });
  const apply = (cache: IsolateCache<EdgeRecord>, version: number, recordText: string | null): void =>
    applyChange(
      { cache, announced: createAnnouncedChanges(() => 0) },
      aChange("spring", { version, recordText }),
    );

  it("replaces an older record, and leaves a newer one", () => {
    const cache = open();
    cache.put({ kind: "live", key, value: aRecord({ version: 2 }), version: 2, costBytes: 10 });
    apply(cache, 1, textOf(1));
    expect(cache.get(key)?.version).toBe(2);
    apply(cache, 3, textOf(3, { url: "https://example.com/3" }));
    expect(cache.get(key)).toMatchObject({
      kind: "live",
      version: 3,
      value: { url: "https://example.com/3" },
    });
  });

  it("that deletes makes an absence with a version, which no older record replaces", () => {
    const cache = open();
    cache.put({ kind: "live", key, value: aRecord(), version: 1, costBytes: 10 });
    apply(cache, 2, textOf(2, { state: "deleted", url: "" }));
    expect(cache.put({ kind: "live", key, value: aRecord(), version: 1, costBytes: 10 })).toMatchObject({
      kind: "negative",
    });
  });

  it("that creates replaces the absence of a probed slug", () => {
    const cache = open();
    cache.put({ kind: "negative", key, version: 0, costBytes: 10 });
    apply(cache, 1, textOf(1));
    expect(cache.get(key)).toMatchObject({ kind: "live", version: 1 });
  });

  it("of a link that is not held stays out: a thousand edits of cold links push no warm one out", () => {
    const cache = open();
    apply(cache, 1, textOf(1));
    expect(cache.get(key)).toBeUndefined();
  });

  it.each([
    ["too large for the feed", null],
    ["that cannot be read", "{"],
  ])("%s removes what it outdates", (_what, text) => {
    const cache = open();
    cache.put({ kind: "live", key, value: aRecord(), version: 1, costBytes: 10 });
    apply(cache, 2, text);
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
    const cache = new IsolateCache<EdgeRecord>({ nowMs: () => clock.nowMs, random: () => 0 });
    const announced = createAnnouncedChanges(() => clock.nowMs);
    const probe = () => cache.put({ kind: "negative", key, version: 0, costBytes: 10 });
    return { clock, cache, announced, probe };
  };

  it("end the absences held there, once: a page that says the same again ends none", () => {
    const { cache, announced, probe } = open();
    probe();
    applyChange({ cache, announced }, arrivals(1));
    expect(cache.peek(key)).toBeUndefined();
    probe();
    applyChange({ cache, announced }, arrivals(1));
    expect(cache.peek(key)).toMatchObject({ kind: "negative" });
    applyChange({ cache, announced }, arrivals(2));
    expect(cache.peek(key)).toBeUndefined();
  });

  it("of more than five minutes ago, which a quiet feed still shows, end none", () => {
    const { clock, cache, announced, probe } = open();
    clock.nowMs = 300_000;
    probe();
    applyChange({ cache, announced }, arrivals(1, 0));
    expect(cache.peek(key)).toMatchObject({ kind: "negative" });
  });

  it("are counted host by host, so that a look-up under way notices them", () => {
    const { announced } = open();
    const stranger = linkKeyOf("other.example.com", "spring");
    const before = [announced.arrivals(key), announced.arrivals(stranger)];
    announced.remember(arrivals(1));
    expect([announced.arrivals(key), announced.arrivals(stranger)]).toEqual([1, before[1]]);
    expect(before[0]).not.toBe(1);
  });
});
