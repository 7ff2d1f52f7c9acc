import { arrivalsKeyOf } from "@hopline/core/feed/arrivals";
import { hashOf } from "@hopline/core/feed/version-block";
import { domainKeyOf, encodeDomainRecord } from "@hopline/core/link/domain-record";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { encodeLinkRecord, type LinkRecord } from "@hopline/core/link/link-record";
import { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import { describe, expect, it } from "vitest";
import { createAnnouncedChanges } from "../../../src/find/feed/announced-changes.ts";
import { applyCaughtUp, applyChange } from "../../../src/find/feed/apply-changes.ts";
import { createChangeVersions, MAX_CHANGES } from "../../../src/find/feed/change-versions.ts";
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

  it("remembers that a key changed for 300,000 changes, in less than 4 MB, and its text while that is cheap", () => {
    let nowMs = 0;
    const announced = createAnnouncedChanges(() => nowMs);
    const ofIndex = (index: number) =>
      aChange(`slug-${index}`, { version: 2, announcedAtMs: nowMs, recordText: "{}" });
    for (let index = 0; index < MAX_CHANGES; index += 1) {
      announced.remember(ofIndex(index));
    }
    expect(announced.newerThan(ofIndex(0).key, 1)).toBeNull();
    expect(announced.newerThan(ofIndex(MAX_CHANGES - 1).key, 1)).toBe("{}");
    expect(announced.newerThan(ofIndex(0).key, 2)).toBeUndefined();
    expect(announced.newerThan(ofIndex(MAX_CHANGES).key, 1)).toBeUndefined();
    expect(announced.isKvDoubted()).toBe(false);
    expect(createChangeVersions().sizeBytes).toBeLessThan(4_000_000 - 100_000);

    // More than that in five minutes: then it does not know what KV may lack, and says so.
    announced.remember(ofIndex(MAX_CHANGES));
    expect(announced.isKvDoubted()).toBe(true);
    nowMs = 300_000;
    expect(announced.isKvDoubted()).toBe(false);
  });

  it("keeps few texts, the newest", () => {
    const announced = createAnnouncedChanges(() => 0);
    const slugs = Array.from({ length: 50 }, (_, index) => `slug-${index}`);
    slugs.forEach((slug) => announced.remember(aChange(slug, { recordText: "x".repeat(10_000) })));
    const kept = slugs.filter((slug) => typeof announced.newerThan(aChange(slug).key, 0) === "string");
    expect(kept).toEqual(slugs.slice(-10));
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

describe("versions without keys", () => {
  it("end what is held in an older version, and absences: something may have been made there", () => {
    const cache = new IsolateCache<EdgeRecord>({ nowMs: () => 0, random: () => 0 });
    const put = (slug: string) => {
      const held = aChange(slug).key;
      cache.put({ kind: "live", key: held, value: aRecord({ version: 2 }), version: 2, costBytes: 10 });
      return held;
    };
    const [edited, untouched] = [put("edited"), put("untouched")];
    cache.put({ kind: "negative", key, version: 0, costBytes: 10 });
    const pairs = Uint32Array.from([hashOf(edited), 3, hashOf(untouched), 2]);
    const versions = [{ first: 1, announcedAtMs: 0, pairs }];
    const cursor = { feedId: "feed-1", sequence: 2 };
    const caughtUp = { cursor, knownAtMs: 0, changes: [], versions, missedUntilMs: -Infinity };
    applyCaughtUp({ cache, announced: createAnnouncedChanges(() => 0) }, caughtUp, false);
    expect([edited, untouched, key].map((one) => cache.peek(one)?.version)).toEqual([
      undefined,
      2,
      undefined,
    ]);
  });
});

describe("the links of a domain, of which not each is announced", () => {
  const domainKey = domainKeyOf(HOST);
  const other = linkKeyOf("other.example.com", "spring");
  const open = () => {
    const cache = new IsolateCache<EdgeRecord>({ nowMs: () => 0, random: () => 0 });
    const hold = (...keys: readonly string[]): void =>
      keys.forEach((held) =>
        cache.put({ kind: "live", key: held, value: aRecord(), version: 1, costBytes: 10 }),
      );
    hold(domainKey, key, other);
    const announced = createAnnouncedChanges(() => 0);
    const change = (version: number, recordText: string): void =>
      applyChange({ cache, announced }, { ...aChange("", { version, recordText }), key: domainKey });
    return { cache, announced, hold, change };
  };
  const tombstone = textOf(2, { state: "deleted", url: "" });
  const begun = encodeDomainRecord({ domainId: aRecord().linkId, version: 3, ignoresCase: false });

  it("go with it where it ends, and those that came from KV since where it begins again", () => {
    const { cache, hold, change } = open();
    change(2, tombstone);
    expect([cache.peek(key), cache.peek(other)?.kind]).toEqual([undefined, "live"]);
    hold(key);
    change(3, begun);
    expect([cache.peek(key), cache.peek(other)?.kind]).toEqual([undefined, "live"]);
  });

  it("and what they had changed to: it was their former owner's", () => {
    for (const end of ["announced", "only its version"]) {
      const { cache, announced, change } = open();
      announced.remember(aChange("spring", { version: 1, recordText: textOf(1) }));
      if (end === "announced") {
        change(2, tombstone);
      } else {
        const versions = [{ first: 1, announcedAtMs: 0, pairs: Uint32Array.from([hashOf(domainKey), 2]) }];
        const cursor = { feedId: "feed-1", sequence: 2 };
        const caughtUp = { cursor, knownAtMs: 0, changes: [], versions, missedUntilMs: -Infinity };
        applyCaughtUp({ cache, announced }, caughtUp, false);
      }
      expect(announced.newerThan(key, 0), end).toBeNull();
    }
  });

  // Seed 342 of the simulator: in an outage after that, the isolate led to a link of before.
  it("go where it begins again, and KV or the database has said so before the feed", () => {
    const { cache, hold, change } = open();
    change(2, tombstone);
    hold(key);
    cache.put({ kind: "live", key: domainKey, value: aRecord(), version: 3, costBytes: 10 });
    change(3, begun);
    expect([cache.peek(key), cache.peek(domainKey)?.version, cache.peek(other)?.kind]).toEqual([
      undefined,
      3,
      "live",
    ]);
  });

  it("stay when its settings change", () => {
    const { cache, change } = open();
    change(3, begun);
    expect(cache.peek(key)?.kind).toBe("live");
  });

  it("go where only its version is known: it may have ended", () => {
    const { cache, announced } = open();
    const versions = [{ first: 1, announcedAtMs: 0, pairs: Uint32Array.from([hashOf(domainKey), 2]) }];
    const caughtUp = { knownAtMs: 0, changes: [], versions, missedUntilMs: -Infinity };
    applyCaughtUp({ cache, announced }, { cursor: { feedId: "feed-1", sequence: 1 }, ...caughtUp }, false);
    expect([cache.peek(key), cache.peek(other)?.kind]).toEqual([undefined, "live"]);
  });

  it("go where only its version is known, and KV has said before the feed that it ended", () => {
    const { cache, announced } = open();
    cache.put({ kind: "negative", key: domainKey, version: 2, costBytes: 10 });
    const versions = [{ first: 1, announcedAtMs: 0, pairs: Uint32Array.from([hashOf(domainKey), 2]) }];
    const caughtUp = { knownAtMs: 0, changes: [], versions, missedUntilMs: -Infinity };
    applyCaughtUp({ cache, announced }, { cursor: { feedId: "feed-1", sequence: 1 }, ...caughtUp }, false);
    expect([cache.peek(key), cache.peek(domainKey)?.version, cache.peek(other)?.kind]).toEqual([
      undefined,
      2,
      "live",
    ]);
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

  it("are counted host by host, so that a look-up under way notices them", () => {
    const { announced } = open();
    const stranger = linkKeyOf("other.example.com", "spring");
    const before = [announced.arrivals(key), announced.arrivals(stranger)];
    announced.remember(arrivals(1));
    expect([announced.arrivals(key), announced.arrivals(stranger)]).toEqual([1, before[1]]);
    expect(before[0]).not.toBe(1);
  });
});
