import { describe, expect, it, vi } from "vitest";
import { catchUp } from "../../../src/find/feed/catch-up.ts";
import { type FeedState, UNREAD } from "../../../src/find/feed/plan-read.ts";
import { createFeed } from "./a-feed.ts";

const NOW_MS = 10_000_000;

describe("an isolate that follows", () => {
  it("reads one page a time, and not even that one when nothing has happened", async () => {
    const { source, reads, announce } = feedOf(3);
    const first = await catchUp(source, UNREAD);
    expect(first.changes.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    announce("new");
    const second = await catchUp(source, following(first));
    expect(second.cursor).toEqual({ feedId: "feed-1", sequence: 4 });
    expect(reads).toEqual(["head", "head"]);

    const unread: typeof source = {
      read: async (path) => {
        const response = await source.read(path);
        return (
          response && { ...response, readText: () => Promise.reject(new Error("this page must not be read")) }
        );
      },
    };
    const third = await catchUp(unread, following(second));
    expect(third).toMatchObject({ changes: [], hasGap: false, cursor: { sequence: 4 } });
  });

  it("has no gap where a cache gives it an older copy of the head than it has read", async () => {
    const { source, announce } = feedOf(3);
    const older = await source.read("head");
    announce("new");
    const state = { ...following(await catchUp(source, UNREAD)), knownAtMs: NOW_MS };
    const again = await catchUp({ read: async () => older && { ...older, madeAtMs: NOW_MS - 500 } }, state);
    expect(again).toMatchObject({ changes: [], hasGap: false, cursor: { sequence: 4 } });
  });

  it.each([
    ["a few changes", 3, 60, []],
    ["a whole head", 0, 64, []],
    ["more than a head", 10, 200, ["feed-1/2", "feed-1/1", "feed-1/0"]],
  ])("misses none of %s", async (_what, seen, more, blocks) => {
    const { source, reads, announce } = feedOf(seen);
    const before = await catchUp(source, UNREAD);
    announceMany(announce, more);
    reads.length = 0;
    const after = await catchUp(source, following(before));
    const sequences = new Set(after.changes.map(({ sequence }) => sequence));
    expect(
      Array.from({ length: more }, (_, index) => seen + index + 1).filter((n) => !sequences.has(n)),
    ).toEqual([]);
    expect([after.hasGap, reads]).toEqual([false, ["head", ...blocks]]);
  });

  it("reads the block that is still filling when large records leave room for few in the head", async () => {
    const { source, feed, announce } = feedOf(5);
    const before = await catchUp(source, UNREAD);
    feed.headSize = 2;
    announceMany(announce, 20);
    const after = await catchUp(source, following(before));
    expect(after.hasGap).toBe(false);
    expect(after.changes.map(({ sequence }) => sequence)).toEqual(expect.arrayContaining([6, 7, 24, 25]));
  });

  it.each([
    ["the feed has forgotten what it missed", (feed: { oldest: number }) => (feed.oldest = 257)],
    ["the feed has begun anew", (feed: { id: string }) => (feed.id = "feed-2")],
  ])("knows that it has a gap when %s", async (_when, change) => {
    const { source, feed, announce } = feedOf(10);
    const before = await catchUp(source, UNREAD);
    announceMany(announce, 300);
    change(feed);
    expect((await catchUp(source, following(before))).hasGap).toBe(true);
  });

  it("asks for all that it lacks at once, however far away the feed is", async () => {
    const { source, announce } = feedOf(1);
    const before = await catchUp(source, UNREAD);
    announceMany(announce, 600);
    const waiting: (() => void)[] = [];
    const far: typeof source = {
      async read(path) {
        if (path !== "head") {
          await new Promise<void>((resolve) => waiting.push(resolve));
        }
        return source.read(path);
      },
    };
    const reading = catchUp(far, following(before));
    await vi.waitUntil(() => waiting.length === 9);
    waiting.forEach((answer) => answer());
    expect((await reading).hasGap).toBe(false);
  });

  it("gives up after sixteen blocks and knows that it has a gap", async () => {
    const { source, reads, announce } = feedOf(1);
    const before = await catchUp(source, UNREAD);
    announceMany(announce, 5_000);
    reads.length = 0;
    expect((await catchUp(source, following(before))).hasGap).toBe(true);
    expect(reads).toHaveLength(17);
  });
});

describe("an isolate that has just begun", () => {
  it("looks back five minutes, because KV may show an older record for a while, and no further", async () => {
    let nowMs = NOW_MS - 400_000;
    const { source, reads, announce } = createFeed(() => nowMs);
    announceMany(announce, 320);
    nowMs = NOW_MS - 290_000;
    announceMany(announce, 100);
    nowMs = NOW_MS;
    const { changes, hasGap } = await catchUp(source, UNREAD);
    const sequences = changes.map(({ sequence }) => sequence);
    expect(sequences).toEqual(expect.arrayContaining([321, 420]));
    // Block 5 begins within the time, so the one before might end in it.
    expect([hasGap, reads]).toEqual([false, ["head", "feed-1/5", "feed-1/4", "feed-1/3", "feed-1/2"]]);
  });

  it("has no gap in an empty feed", async () => {
    const { source } = feedOf(0);
    expect(await catchUp(source, UNREAD)).toMatchObject({
      changes: [],
      hasGap: false,
      cursor: { sequence: 0 },
    });
  });
});

it("fails when the page is none", async () => {
  const broken = { read: async () => ({ tag: null, madeAtMs: NOW_MS, readText: async () => "<html>" }) };
  await expect(catchUp(broken, UNREAD)).rejects.toThrow(TypeError);
});

function feedOf(count: number) {
  const feed = createFeed(() => NOW_MS);
  announceMany(feed.announce, count);
  return feed;
}

function announceMany(announce: (slug: string) => unknown, count: number): void {
  for (let index = 0; index < count; index += 1) {
    announce(`slug-${index}`);
  }
}

function following({ cursor }: Pick<FeedState, "cursor">): FeedState {
  return { ...UNREAD, cursor };
}
