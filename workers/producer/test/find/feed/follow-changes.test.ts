import type { Change } from "@hopline/core/feed/change-page";
import { describe, expect, it } from "vitest";
import { catchUp, type FeedSource } from "../../../src/find/feed/catch-up.ts";
import { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import { createAnnouncedChanges } from "../../../src/find/feed/announced-changes.ts";
import { applyCaughtUp } from "../../../src/find/feed/apply-changes.ts";
import { createChangeFollower } from "../../../src/find/feed/follow-changes.ts";
import type { LogEvent } from "../../../src/log.ts";
import type { EdgeRecord } from "../../../src/ports.ts";
import { createFeed } from "./a-feed.ts";

describe("an isolate with traffic", () => {
  it("never waits, and asks once a second, after the request was answered", async () => {
    const stage = openStage();
    await stage.visit();
    const readsBefore = stage.reads.length;
    for (let tenths = 0; tenths < 50; tenths += 1) {
      stage.clock.nowMs += 100;
      expect(stage.poll()).toBeNull();
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
    await stage.poll();
    expect(stage.applied.map(({ version }) => version)).toEqual([2]);
  });

  it("waits 50 ms at most; what comes later serves the next visitor", async () => {
    const stage = openStage();
    await stage.visit();
    stage.announce("spring", { version: 2 });
    stage.clock.nowMs += 60_000;
    stage.hold();
    const waiting = stage.poll();
    const second = stage.poll();
    await stage.passTime(50);
    await Promise.all([waiting, second]);
    expect(stage.applied).toEqual([]);
    expect(stage.poll()).toBeNull();
    stage.release();
    await stage.settle();
    expect(stage.applied.map(({ version }) => version)).toEqual([2]);
  });
});

describe("an isolate that finds more in the feed than the head says", () => {
  it("does not trust what it holds or KV until it has read the rest", async () => {
    const stage = openStage();
    await stage.visit();
    expect(stage.announced.isKvDoubted()).toBe(false);
    stage.announceMany(65);
    stage.clock.nowMs += 60_000;
    stage.hold("versions");
    const waiting = stage.poll();
    await stage.settle();
    expect(stage.announced.isKvDoubted()).toBe(true);
    await stage.passTime(50);
    expect(await waiting).toBe(false);
    // Nor does who comes later wait for what takes so long.
    const second = stage.poll();
    await stage.passTime(0);
    expect(await second).toBe(false);
    stage.release();
    await stage.settle();
    expect([stage.poll(), stage.announced.isKvDoubted()]).toEqual([null, false]);
  });

  it("trusts what it holds again where the rest cannot be read, and KV five minutes later", async () => {
    const stage = openStage();
    await stage.visit();
    stage.announceMany(65);
    stage.clock.nowMs += 60_000;
    stage.hold("versions");
    const waiting = stage.poll();
    await stage.settle();
    await stage.passTime(2_000);
    expect([await waiting, stage.poll(), stage.announced.isKvDoubted()]).toEqual([false, null, true]);
    stage.clock.nowMs += 298_000;
    expect(stage.announced.isKvDoubted()).toBe(false);
  });

  it("goes on as before where it hears of all once a second: it has read what was there a moment ago", async () => {
    const stage = openStage();
    await stage.visit();
    stage.announceMany(65);
    stage.clock.nowMs += 1_000;
    stage.hold("versions");
    expect(stage.poll()).toBeNull();
    await stage.settle();
    expect([stage.poll(), stage.announced.isKvDoubted()]).toEqual([null, false]);
  });
});

describe("that all changes are known", () => {
  it("goes on with each read, also one without news, and not while the feed is down", async () => {
    const stage = openStage();
    await stage.visit();
    stage.clock.nowMs += 1_000;
    await stage.visit();
    const heardUntilMs = stage.clock.nowMs;
    expect(stage.announced.heardUntilMs()).toBe(heardUntilMs);
    stage.break();
    stage.clock.nowMs += 60_000;
    await stage.visit();
    expect(stage.announced.heardUntilMs()).toBe(heardUntilMs);
    stage.mend();
    stage.clock.nowMs += 60_000;
    await stage.visit();
    expect(stage.announced.heardUntilMs()).toBe(stage.clock.nowMs);
  });

  it("begins five minutes before the first read, as far as the feed goes back", async () => {
    const stage = openStage();
    await stage.visit();
    expect(stage.announced.missedUntilMs()).toBe(stage.clock.nowMs - 300_000);
  });

  it("begins anew where the feed has lost changes, and what was announced before is forgotten", async () => {
    const stage = openStage();
    await stage.visit();
    const { key } = stage.announce("spring", { version: 2 });
    stage.clock.nowMs += 1_000;
    await stage.visit();
    expect(stage.announced.newerThan(key, 1)).toBeTypeOf("string");
    Object.assign(stage.feed, { id: "another", changes: [] });
    stage.clock.nowMs += 1_000;
    await stage.visit();
    const missedUntilMs = stage.clock.nowMs;
    stage.clock.nowMs += 1_000;
    await stage.visit();
    expect([stage.announced.missedUntilMs(), stage.announced.newerThan(key, 1)]).toEqual([
      missedUntilMs,
      null,
    ]);
  });
});

describe("when the feed is down", () => {
  it("no visitor waits twice; the log says so once a minute, and when it is back", async () => {
    const stage = openStage();
    stage.break();
    await stage.visit();
    for (let seconds = 0; seconds < 90; seconds += 1) {
      stage.clock.nowMs += 1_000;
      expect(stage.poll()).toBeNull();
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

  it("a read that hangs is given up after two seconds", async () => {
    const stage = openStage();
    stage.hold();
    const waiting = stage.poll();
    await stage.passTime(50);
    await waiting;
    await stage.passTime(2_000);
    await stage.settle();
    expect(stage.log).toEqual([{ event: "feed.unreachable", reason: "TimeoutError", failures: 1 }]);
    // There is nothing better to trust than KV from now on.
    expect(stage.gaveUp()).toBe(1);
  });
});

it("hears of a change within two seconds though its clock was set back", async () => {
  const stage = openStage();
  await stage.visit();
  stage.clock.nowMs -= 5_000;
  stage.announce("spring", { version: 2 });
  for (let passedMs = 0; passedMs < 2_000; passedMs += 100) {
    await stage.visit();
    await stage.passTime(100);
  }
  expect(stage.applied.map(({ version }) => version)).toEqual([2]);
});

it("marks everything it holds as stale when it has missed changes", async () => {
  const stage = openStage();
  await stage.visit();
  stage.feed.id = "another";
  stage.clock.nowMs += 1_000;
  await stage.visit();
  expect([stage.markedStale(), stage.log.at(-1)]).toEqual([1, { event: "feed.fell_behind" }]);
});

/** A follower, its feed, and a clock whose time passes only when a test says so. */
function openStage() {
  const clock = { nowMs: 10_000_000 };
  const { feed, source, reads, announce } = createFeed(() => clock.nowMs);
  const timers: { readonly atMs: number; readonly ring: () => void }[] = [];
  const deferred: Promise<unknown>[] = [];
  const applied: Change[] = [];
  const log: LogEvent[] = [];
  const cache = new IsolateCache<EdgeRecord>({ nowMs: () => clock.nowMs, random: () => 0 });
  const announced = createAnnouncedChanges(() => clock.nowMs);
  let isBroken = false;
  let gate: PromiseWithResolvers<void> | null = null;
  let held = "";
  let markedStale = 0;
  let gaveUp = 0;
  let knownAtMs = 0;
  const guarded: FeedSource = {
    async read(path) {
      const response = await source.read(path);
      await (path.includes(held) ? gate?.promise : undefined);
      if (isBroken) {
        throw new TypeError("down");
      }
      return response;
    },
  };
  const follower = createChangeFollower({
    catchUp: (state, onBehind) => catchUp(guarded, state, onBehind),
    expect: (untilMs) => announced.expect(untilMs),
    apply(caughtUp, isFirst) {
      const { changes, missedUntilMs } = caughtUp;
      applyCaughtUp({ cache, announced }, caughtUp, isFirst);
      applied.push(...changes);
      markedStale += !isFirst && missedUntilMs > -Infinity ? 1 : 0;
    },
    giveUp: () => (gaveUp += 1),
    spreadMs: 0,
    noteRead: (atMs) => void (knownAtMs = atMs),
    nowMs: () => clock.nowMs,
    wait: (ms) => new Promise<void>((ring) => timers.push({ atMs: clock.nowMs + ms, ring })),
    log: (event) => log.push(event),
  });
  const poll = () => follower.poll(clock.nowMs, (work) => deferred.push(work));
  /** Runs whatever can run without time passing. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    clock,
    feed,
    reads,
    announce,
    announced,
    applied,
    log,
    poll,
    settle,
    markedStale: () => markedStale,
    gaveUp: () => gaveUp,
    knownAtMs: () => knownAtMs,
    async visit() {
      await poll();
      await settle();
    },
    /** Pages whose path has this in it do not come. */
    hold(path = "") {
      held = path;
      gate = Promise.withResolvers<void>();
    },
    announceMany(count: number) {
      for (let number = 1; number <= count; number += 1) {
        announce(`slug-${number}`, { version: 2 });
      }
    },
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
