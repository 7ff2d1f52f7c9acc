import type { Change } from "@hopline/core/feed/change-page";
import { describe, expect, it } from "vitest";
import type { FeedSource } from "../../src/change-feed/catch-up.ts";
import { createChangeFollower, FOLLOW_NOTHING } from "../../src/change-feed/follow-changes.ts";
import type { LogEvent } from "../../src/log.ts";
import { createFeed, HOST } from "./a-feed.ts";

describe("an isolate with traffic", () => {
  it("never waits, and asks once a second, after the request was answered", async () => {
    const stage = openStage();
    await stage.visit();
    const readsBefore = stage.reads.length;
    for (let tenths = 0; tenths < 50; tenths += 1) {
      stage.clock.nowMs += 100;
      expect(stage.keepUp()).toBeNull();
      // Nothing was asked before the handler returned.
      expect(stage.reads.length - readsBefore).toBe(Math.floor(tenths / 10));
      await stage.settle();
    }
    expect(stage.reads.length - readsBefore).toBe(5);
  });

  it("hears of a change at the latest with the second read after it", async () => {
    const stage = openStage();
    await stage.visit();
    stage.announce("spring", { version: 2 });
    stage.clock.nowMs += 1_000;
    await stage.visit();
    expect(stage.applied.map(({ version }) => version)).toEqual([2]);
  });
});

describe("an isolate that was idle", () => {
  it("hears of a change before it answers", async () => {
    const stage = openStage();
    await stage.visit();
    stage.announce("spring", { version: 2 });
    stage.clock.nowMs += 60_000;
    await stage.keepUp();
    expect(stage.applied.map(({ version }) => version)).toEqual([2]);
  });

  it("waits 50 ms at most; what comes later serves the next visitor", async () => {
    const stage = openStage();
    await stage.visit();
    stage.announce("spring", { version: 2 });
    stage.clock.nowMs += 60_000;
    stage.hold();
    const waiting = stage.keepUp();
    const second = stage.keepUp();
    await stage.passTime(50);
    await Promise.all([waiting, second]);
    expect(stage.applied).toEqual([]);
    expect(stage.keepUp()).toBeNull();
    stage.release();
    await stage.settle();
    expect(stage.applied.map(({ version }) => version)).toEqual([2]);
  });
});

describe("when the feed is down", () => {
  it("nobody waits twice, it says so once a minute, and says when it is back", async () => {
    const stage = openStage();
    stage.break();
    await stage.visit();
    for (let seconds = 0; seconds < 90; seconds += 1) {
      stage.clock.nowMs += 1_000;
      expect(stage.keepUp()).toBeNull();
      await stage.settle();
    }
    expect(stage.log).toEqual([
      { event: "feed.unreachable", reason: "TypeError", failures: 1 },
      { event: "feed.unreachable", reason: "TypeError", failures: expect.any(Number) },
    ]);
    // Back-off: 1 + 2, 4, 8, 16 and then every 30 s.
    expect(stage.reads.length).toBeLessThan(9);
    stage.mend();
    stage.clock.nowMs += 30_000;
    await stage.visit();
    expect(stage.log.at(-1)).toMatchObject({ event: "feed.recovered" });
  });

  it("one that hangs is given up after two seconds", async () => {
    const stage = openStage();
    stage.hold();
    const waiting = stage.keepUp();
    await stage.passTime(50);
    await waiting;
    await stage.passTime(2_000);
    await stage.settle();
    expect(stage.log).toEqual([{ event: "feed.unreachable", reason: "TimeoutError", failures: 1 }]);
  });
});

it("distrusts what it holds when it has missed changes", async () => {
  const stage = openStage();
  await stage.visit();
  stage.feed.id = "another";
  stage.clock.nowMs += 1_000;
  await stage.visit();
  expect([stage.distrusted(), stage.log.at(-1)]).toEqual([1, { event: "feed.fell_behind" }]);
});

it("follows nothing when it is switched off", () => {
  expect(FOLLOW_NOTHING.keepUp(HOST, 0, () => undefined)).toBeNull();
});

/** A follower, its feed, and a clock whose time passes only when a test says so. */
function openStage() {
  const clock = { nowMs: 10_000_000 };
  const { feed, source, reads, announce } = createFeed(() => clock.nowMs);
  const timers: { readonly atMs: number; readonly ring: () => void }[] = [];
  const deferred: Promise<unknown>[] = [];
  const applied: Change[] = [];
  const log: LogEvent[] = [];
  let isBroken = false;
  let gate: PromiseWithResolvers<void> | null = null;
  let distrusted = 0;
  let knownAtMs = 0;
  const guarded: FeedSource = {
    async read(path, host) {
      const response = await source.read(path, host);
      await gate?.promise;
      if (isBroken) {
        throw new TypeError("down");
      }
      return response;
    },
  };
  const follower = createChangeFollower({
    source: guarded,
    apply: async (change) => void applied.push(change),
    distrust: () => (distrusted += 1),
    noteRead: (atMs) => void (knownAtMs = atMs),
    nowMs: () => clock.nowMs,
    wait: (ms) => new Promise<void>((ring) => timers.push({ atMs: clock.nowMs + ms, ring })),
    log: (event) => log.push(event),
  });
  const keepUp = () => follower.keepUp(HOST, clock.nowMs, (work) => deferred.push(work));
  /** Runs whatever can run without time passing. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    clock,
    feed,
    reads,
    announce,
    applied,
    log,
    keepUp,
    settle,
    distrusted: () => distrusted,
    knownAtMs: () => knownAtMs,
    async visit() {
      await keepUp();
      await settle();
    },
    hold: () => (gate = Promise.withResolvers<void>()),
    release() {
      gate?.resolve();
      gate = null;
    },
    break: () => (isBroken = true),
    mend: () => (isBroken = false),
    async passTime(ms: number) {
      clock.nowMs += ms;
      for (const timer of timers.filter(({ atMs }) => atMs <= clock.nowMs)) {
        timer.ring();
      }
      await settle();
    },
  };
}
