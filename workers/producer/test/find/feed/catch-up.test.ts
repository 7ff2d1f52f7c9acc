import { countOf } from "@hopline/core/feed/version-block";
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
          response && {
            ...response,
            readBytes: () => Promise.reject(new Error("this page must not be read")),
          }
        );
      },
    };
    const third = await catchUp(unread, following(second));
    expect(third).toMatchObject({ changes: [], missedUntilMs: -Infinity, cursor: { sequence: 4 } });
  });

  it("has no gap where a cache gives it an older copy of the head than it has read", async () => {
    const { source, announce } = feedOf(3);
    const older = await source.read("head");
    announce("new");
    const state = { ...following(await catchUp(source, UNREAD)), knownAtMs: NOW_MS };
    const again = await catchUp({ read: async () => older && { ...older, madeAtMs: NOW_MS - 500 } }, state);
    expect(again).toMatchObject({ changes: [], missedUntilMs: -Infinity, cursor: { sequence: 4 } });
  });

  it.each([
    ["a few changes", 3, 60, []],
    ["a whole head", 0, 64, []],
    ["more than a head", 10, 200, ["feed-1/versions/0"]],
    ["more than a block", 10, 20_100, ["feed-1/versions/1", "feed-1/versions/0"]],
  ])("hears once of each of %s", async (_what, seen, more, blocks) => {
    const { source, reads, announce } = feedOf(seen);
    const before = await catchUp(source, UNREAD);
    announceMany(announce, more);
    reads.length = 0;
    const after = await catchUp(source, following(before));
    const heard = [
      ...after.versions.flatMap((block) => Array.from({ length: countOf(block) }, (_, n) => block.first + n)),
      ...after.changes.map(({ sequence }) => sequence),
    ];
    expect(heard).toEqual(Array.from({ length: more }, (_, index) => seen + index + 1));
    expect([after.missedUntilMs, reads]).toEqual([-Infinity, ["head", ...blocks]]);
  });

  it.each([
    ["the feed has forgotten what it missed", (feed: { oldest: number }) => (feed.oldest = 257)],
    ["the feed has begun anew", (feed: { id: string }) => (feed.id = "feed-2")],
  ])("knows that it has a gap when %s", async (_when, change) => {
    const { source, feed, announce } = feedOf(10);
    const before = await catchUp(source, UNREAD);
    announceMany(announce, 300);
    change(feed);
    expect((await catchUp(source, following(before))).missedUntilMs).toBe(NOW_MS);
  });

  it("asks for what it lacks side by side, in waves of six, however far away the feed is", async () => {
    const { source, feed, announce } = feedOf(1);
    const before = await catchUp(source, UNREAD);
    announce("one");
    const [one] = feed.changes.slice(-1);
    for (let sequence = 3; one !== undefined && sequence <= 160_000; sequence += 1) {
      feed.changes.push({ ...one, sequence });
    }
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
    await vi.waitUntil(() => waiting.length === 6);
    waiting.splice(0).forEach((answer) => answer());
    await vi.waitUntil(() => waiting.length === 2);
    waiting.forEach((answer) => answer());
    expect((await reading).missedUntilMs).toBe(-Infinity);
  });

  it("knows that it has a gap when its copy of a block ends before the head begins", async () => {
    const { source, announce } = feedOf(10);
    const before = await catchUp(source, UNREAD);
    const early = await source.read("feed-1/versions/0");
    announceMany(announce, 200);
    const cached: typeof source = { read: async (path) => (path === "head" ? source.read(path) : early) };
    expect((await catchUp(cached, following(before))).missedUntilMs).toBe(NOW_MS);
  });
});

describe("an isolate that has just begun", () => {
  it("says that KV may be behind when the feed had no room for five minutes", async () => {
    const { source, feed } = feedOf(10);
    feed.forgottenAtMs = NOW_MS - 1_000;
    expect((await catchUp(source, UNREAD)).missedUntilMs).toBe(NOW_MS - 1_000);
  });

  it("has no gap in an empty feed", async () => {
    const { source } = feedOf(0);
    expect(await catchUp(source, UNREAD)).toMatchObject({
      changes: [],
      versions: [],
      cursor: { sequence: 0 },
    });
  });
});

it("fails when the page is none", async () => {
  const broken = {
    read: async () => ({
      tag: null,
      madeAtMs: NOW_MS,
      readBytes: async () => new TextEncoder().encode("<html>").slice().buffer,
    }),
  };
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
