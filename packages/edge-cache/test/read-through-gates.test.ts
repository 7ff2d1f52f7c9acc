/** What stands before the database. Each number here is one that DEFAULT_LIMITS states. */
import { describe, expect, it } from "vitest";
import { createGroupedLookUps } from "../src/grouped-look-ups.ts";
import { DEFAULT_LIMITS } from "../src/read-through-ports.ts";
import { aWorld, live, settle, type World } from "./read-through-world.ts";

const keys = (count: number, prefix = "unknown"): readonly string[] =>
  Array.from({ length: count }, (_, number) => `${prefix}-${number}`);

/** Visitors whose requests are cut off: their timers never ring. */
async function leaveAtOnce(world: World, keysOfThem: readonly string[]): Promise<void> {
  world.timersDie = true;
  keysOfThem.forEach((key) => void world.ask(key));
  await settle();
  world.timersDie = false;
}

describe("keys that are looked up for nothing", () => {
  it("are 100 one after the other and 5 a second from then on, however many are asked for", async () => {
    const world = aWorld();
    for (const key of keys(10_000)) {
      await world.ask(key);
    }
    expect(world.db.asked).toHaveLength(100);
    for (const key of keys(1_000, "more")) {
      await world.ask(key);
      await world.pass(10);
    }
    expect(world.db.asked.length).toBeLessThanOrEqual(100 + 5 * 10);
  });

  it("are 1,000 at once, and what was too much is paid off before the next", async () => {
    const world = aWorld({ statementEveryMs: 50 });
    for (let seconds = 0; seconds < 20; seconds += 1) {
      const replies = keys(1_500, `second-${seconds}`).map((key) => world.ask(key));
      await world.pass(1_000);
      await Promise.all(replies);
    }
    const { burst, perSecond } = DEFAULT_LIMITS.absences;
    expect(world.db.asked.length).toBeGreaterThan(900);
    expect(world.db.asked.length).toBeLessThanOrEqual(burst * 10 + perSecond * 20);
  });

  it("count also where the visitors have left and somebody else's statement asked for them", async () => {
    const world = aWorld({ statementEveryMs: 50 });
    for (let round = 0; round < 200; round += 1) {
      const first = world.ask(`first-${round}`);
      await settle();
      await leaveAtOnce(world, keys(99, `left-${round}`));
      const second = world.ask(`second-${round}`);
      await world.pass(100);
      await Promise.all([first, second]);
    }
    const { burst, perSecond } = DEFAULT_LIMITS.absences;
    expect(world.db.asked.length).toBeLessThanOrEqual(burst * 10 + perSecond * 20);
  });

  it("are refused beyond that, and nothing is claimed about the key", async () => {
    const world = aWorld({ absences: { burst: 1, perSecond: 1 } });
    await world.ask("a");
    expect(await world.ask("b")).toMatchObject({ kind: "exhausted" });
    expect(world.cache.peek("b")).toBeUndefined();
    await world.pass(1_000);
    expect(await world.ask("b")).toMatchObject({ kind: "negative", tier: "db" });
  });

  it("do not stop a cold start: a thousand links in the database alone are all found, at once too", async () => {
    const world = aWorld({ statementEveryMs: 50 });
    for (const key of [...keys(1_000, "link"), ...keys(900, "other")]) {
      world.db.texts.set(key, live(1, key));
    }
    const kinds = new Set<string>();
    for (const key of keys(1_000, "link")) {
      const reply = world.ask(key);
      await world.pass(50);
      kinds.add((await reply).kind);
    }
    const replies = keys(900, "other").map((key) => world.ask(key));
    await world.pass(1_000);
    (await Promise.all(replies)).forEach(({ kind }) => kinds.add(kind));
    expect([...kinds]).toEqual(["live"]);
  });

  it("do not stop a link that KV knows, while a scan has used up everything", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    for (const key of keys(1_000)) {
      await world.ask(key);
    }
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "kv" });
  });
});

describe("a crowd with mistyped addresses", () => {
  it("is never refused a link: one absence in twenty look-ups is paid for by what was found", async () => {
    const world = aWorld();
    for (let second = 0; second < 60; second += 1) {
      const replies = Array.from({ length: 200 }, (_, index) => {
        const key = `${second}-${index}`;
        if (index % 20 !== 0) {
          world.db.texts.set(key, live(1, key));
        }
        return world.ask(key);
      });
      await world.pass(1_000);
      const kinds = (await Promise.all(replies)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "live")).toHaveLength(190);
      expect(kinds.filter((kind) => kind === "negative")).toHaveLength(10);
    }
    expect(world).toMatchObject({ charged: 600, credited: 11_400 });
  });
});

describe("look-ups in the database", () => {
  it("start at once for the first visitor, and go in groups after it: 500 in a second are 20 statements", async () => {
    const world = aWorld({ statementEveryMs: 50 });
    for (const key of keys(500, "link")) {
      world.db.texts.set(key, live(1, key));
    }
    const replies = [];
    for (const key of keys(500, "link")) {
      replies.push(world.ask(key));
      await world.pass(2);
    }
    await world.pass(50);
    expect((await Promise.all(replies)).every(({ kind }) => kind === "live")).toBe(true);
    expect(world.db.groups[0]).toBe(1);
    expect(world.db.groups.length).toBeLessThanOrEqual(21);
  });

  it("ask for a hundred keys at most with one statement, and run four statements at once", async () => {
    const world = aWorld();
    world.db.mode = "hangs";
    const replies = keys(600).map((key) => world.ask(key));
    await settle();
    expect(world.db.groups.every((keysOfOne) => keysOfOne <= 100)).toBe(true);
    expect(world.db.groups).toHaveLength(4);
    await world.pass(5_000);
    expect((await Promise.all(replies)).every(({ kind }) => kind === "unavailable" || kind === "busy")).toBe(
      true,
    );
  });

  it("back off while every statement is in use: 25, 50, then 100 ms", async () => {
    const waits: number[] = [];
    let nowMs = 0;
    const lookUps = createGroupedLookUps<string, null>({
      ask: () => new Promise(() => undefined),
      isFailing: () => false,
      nowMs: () => nowMs,
      wait: async (ms) => {
        waits.push(ms);
        nowMs += ms;
      },
      limits: { ...DEFAULT_LIMITS, statements: 0, originTimeoutMs: 50 },
    });
    expect(await lookUps.find("a", { defer: () => undefined, untilMs: Infinity })).toEqual({ kind: "busy" });
    expect(waits).toEqual([25, 50, 100, 100, 100, 25]);
  });

  it("of requests that were cut off join the next statement, together", async () => {
    const world = aWorld({ statementEveryMs: 50, statements: 1 });
    for (const key of keys(100, "link")) {
      world.db.texts.set(key, live(1, key));
    }
    // A visitor whose request dies: its statement never comes back, and its timers never ring.
    Object.assign(world, { timersDie: true });
    world.db.mode = "hangs";
    void world.ask("link-0");
    await settle();
    Object.assign(world, { timersDie: false });
    world.db.mode = "works";
    const replies = keys(100, "link").map((key) => world.ask(key, { untilMs: Infinity }));
    await world.pass(1_700);
    expect((await Promise.all(replies)).every(({ kind }) => kind === "live")).toBe(true);
    expect(world.db.groups).toEqual([1, 100]);
  });

  it("go on after a thousand visitors have left before their turn", async () => {
    const world = aWorld({ statementEveryMs: 50 });
    world.db.texts.set("a", live(1, "A")).set("b", live(1, "B"));
    await world.ask("a");
    await leaveAtOnce(world, keys(1_200));
    await world.pass(60_000);
    const reply = world.ask("b");
    await world.pass(100);
    expect(await reply).toMatchObject({ value: "B@1", tier: "db" });
  });

  it("are not lost with another visitor of the same key who gives up", async () => {
    const world = aWorld({ statementEveryMs: 50, statements: 1 });
    world.db.texts.set("a", live(1, "A"));
    world.db.mode = "hangs";
    keys(150).forEach((key) => void world.ask(key, { untilMs: Infinity }));
    await settle();
    const early = world.ask("a", { untilMs: Infinity });
    await world.pass(1_800);
    const late = world.ask("a", { untilMs: Infinity });
    await world.pass(100);
    expect((await early).kind).toBe("busy");
    world.db.mode = "works";
    await world.pass(2_000);
    expect(await late).toMatchObject({ value: "A@1", tier: "db" });
  });

  it("that fail out of the blue are asked for once more, in one statement, and nobody notices", async () => {
    const world = aWorld({ statementEveryMs: 50 });
    for (const key of keys(50, "link")) {
      world.db.texts.set(key, live(1, key));
    }
    world.db.mode = "throws";
    const replies = keys(50, "link").map((key) => world.ask(key));
    await settle();
    world.db.mode = "works";
    await world.pass(500);
    expect((await Promise.all(replies)).every(({ kind }) => kind === "live")).toBe(true);
    expect(world.db.groups.length).toBeLessThanOrEqual(3);
  });

  it("of a failing database are ten statements a second at most", async () => {
    const world = aWorld({ statementEveryMs: 50 });
    world.db.mode = "throws";
    for (let number = 0; number < 1_000; number += 1) {
      void world.ask(`key-${number}`);
      await world.pass(10);
    }
    expect(world.db.groups.length).toBeLessThanOrEqual(103);
  });

  it("are refused when a thousand keys wait, and a held link is answered as it was", async () => {
    const world = aWorld();
    world.db.texts.set("a", live(1, "A"));
    await world.ask("a");
    await settle();
    world.kv.texts.clear();
    await world.pass(60_000);
    world.db.mode = "hangs";
    const replies = keys(1_200).map((key) => world.ask(key));
    await settle();
    const held = world.ask("a");
    await world.pass(5_000);
    expect(await held).toMatchObject({ value: "A@1", tier: "stale" });
    expect((await Promise.all(replies)).every(({ kind }) => kind !== "negative")).toBe(true);
  });
});

describe("who pays for absence", () => {
  it("is the first visitor of a key that the database does not have, after it has said so", async () => {
    const world = aWorld();
    Object.assign(world.db, { mode: "slow", slowMs: 50 });
    const replies = [world.ask("a"), world.ask("a"), world.ask("a")];
    await settle();
    expect(world.charged).toBe(0);
    await world.pass(50);
    await Promise.all(replies);
    expect(world.charged).toBe(1);
  });

  it.each([
    ["a link that was found", "works", live(1, "A")],
    ["a failure of the database", "throws", undefined],
    ["a record that cannot be read", "works", "nonsense"],
  ] as const)("is nobody for %s", async (_what, mode, text) => {
    const world = aWorld();
    world.db.mode = mode;
    if (text !== undefined) {
      world.db.texts.set("a", text);
    }
    world.kv.mode = "throws";
    const reply = world.ask("a");
    await world.pass(200);
    await reply;
    expect(world.charged).toBe(0);
  });

  it("costs nothing where the charge itself fails or hangs", async () => {
    const world = aWorld();
    const failing = { chargeMiss: () => Promise.reject(new Error("no such binding")) };
    expect(await world.ask("a", failing)).toMatchObject({ kind: "negative", tier: "db" });
    const hanging = { chargeMiss: () => new Promise<never>(() => undefined) };
    expect(await world.ask("b", hanging)).toMatchObject({ kind: "negative", tier: "db" });
  });
});

describe("a rate-limited visitor", () => {
  const rateLimited = { isRateLimited: () => true };

  it("is refused what neither the isolate nor KV knows, before the database is asked", async () => {
    const world = aWorld();
    world.db.texts.set("a", live(1, "A"));
    expect(await world.ask("a", rateLimited)).toMatchObject({ kind: "visitor" });
    expect(world.db.asked).toEqual([]);
  });

  it("is told of an outage, not of its rate limit, where KV fails", async () => {
    const world = aWorld();
    world.kv.mode = "throws";
    expect(await world.ask("a", rateLimited)).toMatchObject({ kind: "exhausted" });
    expect(world.db.asked).toEqual([]);
  });

  it("is never refused a link that the isolate holds, of any age, or that KV knows", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    world.db.texts.set("a", live(1, "A"));
    for (const [ageMs, tier] of [
      [0, "kv"],
      [30_000, "stale"],
      [60_000, "kv"],
    ] as const) {
      await world.pass(ageMs);
      expect(await world.ask("a", rateLimited)).toMatchObject({ value: "A@1", tier });
      await settle();
    }
    world.kv.texts.clear();
    await world.pass(60_000);
    expect(await world.ask("a", rateLimited)).toMatchObject({ value: "A@1", tier: "db" });
  });
});

describe("what was announced", () => {
  const announce = (world: ReturnType<typeof aWorld>, version: number, text: string | null): void =>
    void world.announced.set("a", { version, text });

  it.each<[string, string | undefined, number, string | null, object]>([
    ["is newer than KV: it is the answer", live(1, "A"), 2, live(2, "B"), { value: "B@2", tier: "kv" }],
    [
      "is there, and KV has nothing: it is the answer",
      undefined,
      1,
      live(1, "A"),
      { value: "A@1", tier: "kv" },
    ],
    ["is as old as KV: KV is the answer", live(2, "A"), 2, live(2, "B"), { value: "A@2", tier: "kv" }],
    ["is older than KV: KV is the answer", live(3, "A"), 2, live(2, "B"), { value: "A@3", tier: "kv" }],
    ["is there, and KV is damaged: it is the answer", "x", 1, live(1, "A"), { value: "A@1", tier: "kv" }],
    ["was too large to be announced: KV is no answer", live(1, "A"), 2, null, { value: "D@2", tier: "db" }],
  ])("%s", async (_what, inKv, version, text, expected) => {
    const world = aWorld();
    world.db.texts.set("a", live(2, "D"));
    if (inKv !== undefined) {
      world.kv.texts.set("a", inKv);
    }
    announce(world, version, text);
    expect(await world.ask("a")).toMatchObject(expected);
  });

  it("arrives while KV is read and the feed is waited for: both are asked at once, and the newer one counts", async () => {
    const world = aWorld();
    Object.assign(world.kv, { mode: "slow", slowMs: 30 });
    world.kv.texts.set("a", live(1, "A"));
    const feed = Promise.withResolvers<boolean>();
    const reply = world.ask("a", { announced: feed.promise });
    await world.pass(30);
    announce(world, 2, live(2, "B"));
    feed.resolve(true);
    expect(await reply).toMatchObject({ value: "B@2", tier: "kv" });
  });

  it("rescues a look-up when every tier fails", async () => {
    const world = aWorld();
    world.kv.mode = "throws";
    world.db.mode = "throws";
    announce(world, 1, live(1, "A"));
    expect(await world.ask("a")).toMatchObject({ value: "A@1" });
  });

  it("says that links came to this host while the database was asked: it is asked once more", async () => {
    const world = aWorld();
    Object.assign(world.db, { mode: "slow", slowMs: 50 });
    const reply = world.ask("a");
    await settle();
    await world.pass(50 - 1);
    world.arrivals += 1;
    await world.pass(1);
    world.db.texts.set("a", live(1, "A"));
    await world.pass(50);
    expect(await reply).toMatchObject({ value: "A@1", tier: "db" });
    expect(world.charged).toBe(0);
  });
});
