/**
 * What a visitor waits for, in virtual time: 800 ms in all whichever tier hangs, and not for the slowest reads of KV where the database
 * is quicker.
 */
import { describe, expect, it } from "vitest";
import { Hedge } from "../src/hedge.ts";
import { aWorld, deleted, live, type World } from "./read-through-world.ts";

const MAX_WAIT_MS = 800;

/** What a visitor gets, and after how long. */
async function visit(world: World, key: string, change: Parameters<World["ask"]>[1] = {}) {
  const startedAtMs = world.nowMs();
  let waitedMs = -1;
  const asked = world.ask(key, change).then((reply) => {
    waitedMs = world.nowMs() - startedAtMs;
    return reply;
  });
  await world.pass(2_500);
  return { ...(await asked), waitedMs };
}

describe("no visitor waits for longer than 800 ms", () => {
  it.each<[string, (world: World) => void]>([
    ["KV", ({ kv }) => (kv.mode = "hangs")],
    ["the database", ({ db }) => (db.mode = "hangs")],
    ["KV and the database", ({ kv, db }) => (kv.mode = db.mode = "hangs")],
    [
      "the database, after KV that was slow",
      ({ kv, db }) => (Object.assign(kv, { mode: "slow", slowMs: 249 }), (db.mode = "hangs")),
    ],
    ["KV for another key's read of it", ({ kv }) => (kv.mode = "hangs")],
  ])("when %s hangs: then it is the last known answer or a 503", async (_what, breakIt) => {
    for (const isHeld of [false, true]) {
      const world = aWorld();
      if (isHeld) {
        world.kv.texts.set("a", live(1, "A"));
        await world.ask("a");
        world.kv.texts.clear();
        await world.pass(61_000);
      }
      breakIt(world);
      // The second follows the first's read, after half of it.
      const first = world.ask("a");
      await world.pass(125);
      const second = await visit(world, "a");
      expect(second.waitedMs).toBeLessThanOrEqual(MAX_WAIT_MS);
      const { kind } = await first;
      expect(["unavailable", "busy", "live", "negative"]).toContain(kind);
      expect(second.kind === "live" || !isHeld || world.db.mode === "works").toBe(true);
    }
  });

  it("when the feed is waited for as well", async () => {
    const world = aWorld();
    world.kv.mode = "hangs";
    world.db.mode = "hangs";
    const feed = world.pass(50).then(() => false);
    expect(await visit(world, "a", { announced: feed })).toMatchObject({
      kind: "unavailable",
      waitedMs: MAX_WAIT_MS,
    });
  });

  it("when the request that reads KV for others was cut off", async () => {
    const world = aWorld();
    world.kv.mode = "hangs";
    world.db.mode = "hangs";
    world.timersDie = true;
    void world.ask("a");
    world.timersDie = false;
    const { waitedMs } = await visit(world, "a");
    expect(waitedMs).toBeLessThanOrEqual(MAX_WAIT_MS);
  });
});

/** A hundred reads that take 10 ms, and a link that only the database had: what an isolate knows before it may ask early. */
async function aTrainedWorld(): Promise<World> {
  const world = aWorld();
  world.db.texts.set("only in the database", live(1, "A"));
  await world.ask("only in the database");
  Object.assign(world.kv, { mode: "slow", slowMs: 10 });
  for (let read = 0; read < 100; read += 1) {
    world.kv.texts.set(`warm ${read}`, live(1, "A"));
    const asked = world.ask(`warm ${read}`);
    await world.pass(10);
    await asked;
  }
  world.takeEvents();
  world.db.asked.length = 0;
  return world;
}

describe("KV that is slower than 99 of 100 of its reads", () => {
  const slow = (world: World, key: string, text = live(1, "A")) => {
    world.kv.texts.set(key, text);
    world.db.texts.set(key, text);
    Object.assign(world.kv, { mode: "slow", slowMs: 240 });
    Object.assign(world.db, { mode: "slow", slowMs: 20 });
  };

  it("is not waited for: the database is asked too, and the first good answer wins", async () => {
    const world = await aTrainedWorld();
    slow(world, "a");
    expect(await visit(world, "a")).toMatchObject({ value: "A@1", tier: "db", waitedMs: 50 + 20 });
    expect(world.takeEvents()).toEqual(["hedged"]);
  });

  it("still gives the answer where the database knows nothing, fails or hangs", async () => {
    for (const breakIt of [
      ({ db }: World) => db.texts.clear(),
      ({ db }: World) => (db.mode = "throws"),
      ({ db }: World) => (db.mode = "hangs"),
    ]) {
      const world = await aTrainedWorld();
      slow(world, "a");
      breakIt(world);
      expect(await visit(world, "a")).toMatchObject({ value: "A@1", tier: "kv", waitedMs: 240 });
    }
  });

  it("gives its own answer where the database fails, not what was announced before", async () => {
    const world = await aTrainedWorld();
    slow(world, "a", live(3, "C"));
    world.announced.set("a", { version: 2, text: live(2, "B") });
    world.db.mode = "throws";
    expect(await visit(world, "a")).toMatchObject({ value: "C@3", tier: "kv", waitedMs: 240 });
  });

  it("is good for a deletion as for a link", async () => {
    const world = await aTrainedWorld();
    slow(world, "a", deleted(3));
    expect(await visit(world, "a")).toMatchObject({ kind: "negative", tier: "db", waitedMs: 70 });
  });

  it.each<[string, (world: World) => Promise<unknown> | void, Parameters<World["ask"]>[1]?]>([
    ["that nobody has asked for five minutes, and may sleep", (world) => world.pass(300_000)],
    [
      "that is failing",
      async (world) => {
        world.db.mode = "throws";
        await visit(world, "nowhere");
        world.takeEvents();
      },
    ],
    ["for a visitor who is rate-limited", () => undefined, { isRateLimited: () => true }],
  ])("asks no database %s", async (_what, arrange, change) => {
    const world = await aTrainedWorld();
    await arrange(world);
    slow(world, "a");
    expect(await visit(world, "a", change)).toMatchObject({ tier: "kv", waitedMs: 240 });
    expect(world.takeEvents()).not.toContain("hedged");
  });

  it("costs at most two questions for a hundred reads, however slow KV has become", async () => {
    const world = await aTrainedWorld();
    await visitAtOnce(world, 400, (read) => read % 2 === 0);
    const hedged = world.takeEvents().filter((event) => event === "hedged").length;
    expect(hedged).toBeGreaterThan(3);
    expect(hedged).toBeLessThanOrEqual(0.02 * 520);
  });
});

/** Twenty at a time: how long each waited. KV takes 8 ms, or 240; the database, which has all of them, 30. */
async function visitAtOnce(
  world: World,
  count: number,
  isSlow: (read: number) => boolean,
  change: Parameters<World["ask"]>[1] = {},
): Promise<readonly number[]> {
  const waited: number[] = [];
  Object.assign(world.kv, { mode: "slow" });
  Object.assign(world.db, { mode: "slow", slowMs: 30 });
  for (let read = 0; read < count; read += 1) {
    const key = `key ${read}`;
    world.kv.texts.set(key, live(1, "A"));
    world.db.texts.set(key, live(1, "A"));
    world.kv.slowMs = isSlow(read) ? 240 : 8;
    const startedAtMs = world.nowMs();
    void world.ask(key, change).then(() => waited.push(world.nowMs() - startedAtMs));
    if (read % 20 === 19) {
      await world.pass(250);
    }
  }
  return waited.toSorted((a, b) => a - b);
}

it("where 15 of 1,000 reads of KV take 240 ms, 99 of 100 visitors wait for 80 ms at most, and not for 240", async () => {
  const isSlow = (read: number) => read % 67 === 0;
  const p99 = (sorted: readonly number[]) => sorted[Math.floor(sorted.length * 0.99)];
  const without = await visitAtOnce(await aTrainedWorld(), 600, isSlow, { isRateLimited: () => true });
  const hedged = await visitAtOnce(await aTrainedWorld(), 600, isSlow);
  expect([without.length, without[300], p99(without)]).toEqual([600, 8, 240]);
  expect([hedged.length, hedged[300], p99(hedged)]).toEqual([600, 8, 80]);
});

describe("the time after which the database is asked too", () => {
  it("is unknown before a hundred reads, and then between 50 and 150 ms", () => {
    for (const [tookMs, afterMs] of [
      [5, 50],
      [50, 50],
      [81, 90],
      [150, 150],
      [900, 150],
    ] as const) {
      const hedge = new Hedge();
      for (let read = 0; read < 99; read += 1) {
        hedge.note(tookMs);
      }
      expect(hedge.afterMs).toBe(Infinity);
      hedge.note(tookMs);
      expect(hedge.afterMs).toBe(afterMs);
    }
  });

  it("is what one read in a hundred takes longer than, and follows what KV does now", () => {
    const hedge = new Hedge();
    const noteMany = (reads: number, tookMs: (read: number) => number) => {
      for (let read = 0; read < reads; read += 1) {
        hedge.note(tookMs(read));
      }
    };
    noteMany(1_000, (read) => (read % 50 === 0 ? 95 : 5));
    expect(hedge.afterMs).toBe(100);
    noteMany(4_000, () => 5);
    expect(hedge.afterMs).toBe(50);
  });
});
