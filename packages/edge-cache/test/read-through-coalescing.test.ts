/** Concurrent misses for one key are one read of KV and one look-up, and nobody depends on another's fate. */
import { describe, expect, it } from "vitest";
import { InFlightReads } from "../src/in-flight.ts";
import { aWorld, live, settle } from "./read-through-world.ts";

describe("concurrent misses for one key", () => {
  it("are one load, from which all are answered", async () => {
    const world = aWorld();
    world.db.texts.set("a", live(1, "A"));
    const replies = await Promise.all(Array.from({ length: 100 }, () => world.ask("a")));
    expect(new Set(replies.map(({ value, tier }) => `${value} ${tier}`))).toEqual(new Set(["A@1 db"]));
    expect([world.kv.asked.length, world.db.asked.length]).toEqual([1, 1]);
    expect(world.takeEvents().filter((event) => event === "followed")).toHaveLength(99);
  });

  it("of different keys are different loads", async () => {
    const world = aWorld();
    await Promise.all([world.ask("a"), world.ask("b")]);
    expect(world.db.asked.toSorted()).toEqual(["a", "b"]);
  });

  it("leave nothing behind: the next miss loads anew", async () => {
    const world = aWorld();
    await Promise.all([world.ask("a"), world.ask("a")]);
    await world.pass(10_000);
    await world.ask("a");
    expect(world.db.asked).toHaveLength(2);
  });

  it("are kept alive beyond the leader's own response where they go on to the database", async () => {
    const world = aWorld();
    world.db.texts.set("a", live(1, "A"));
    void world.ask("a");
    await settle();
    await world.deferred[0];
    expect(world.cache.peek("a")).toMatchObject({ version: 1 });
  });

  it("ask nothing of the leader's request that KV answers", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    await Promise.all([world.ask("a"), world.ask("a")]);
    expect(world.deferred).toEqual([]);
  });
});

describe("a follower whose leader", () => {
  it("hangs waits for a bounded time, then loads by itself", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    world.kv.mode = "hangs";
    world.timersDie = true;
    void world.ask("a");
    world.timersDie = false;
    world.kv.mode = "works";
    const followers = [world.ask("a"), world.ask("a"), world.ask("a")];
    await world.pass(350);
    expect(await Promise.all(followers)).toMatchObject([
      { value: "A@1" },
      { value: "A@1" },
      { value: "A@1" },
    ]);
    // Not one load each: the first that gives up leads the others.
    expect(world.kv.asked).toHaveLength(2);
    expect(world.takeEvents()).toContain("leader_lost TimeoutError");
  });

  it("rejects loads by itself", async () => {
    const world = aWorld();
    world.kv.texts.set("a", "bomb");
    const leader = world.ask("a");
    const follower = world.ask("a");
    world.kv.texts.set("a", live(1, "A"));
    // The leader had read the first text already.
    await expect(leader).rejects.toThrow("a fault of our own");
    expect(await follower).toMatchObject({ value: "A@1", tier: "kv" });
    expect(world.takeEvents()).toContain("leader_lost Error");
  });

  it("is rate-limited is not refused with it", async () => {
    const world = aWorld();
    world.db.texts.set("a", live(1, "A"));
    const leader = world.ask("a", { isRateLimited: () => true });
    const follower = world.ask("a");
    expect(await leader).toMatchObject({ kind: "visitor" });
    expect(await follower).toMatchObject({ value: "A@1", tier: "db" });
  });

  it("hangs is given the last known answer, where there is one", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    await world.ask("a");
    await world.pass(60_000);
    world.kv.mode = "hangs";
    world.timersDie = true;
    void world.ask("a");
    world.timersDie = false;
    const follower = world.ask("a");
    await world.pass(350);
    expect(await follower).toMatchObject({ value: "A@1", tier: "stale" });
  });

  it("hangs at the database waits for as long as that may take, where the visitor may", async () => {
    const world = aWorld();
    world.db.texts.set("a", live(1, "A"));
    world.db.mode = "hangs";
    world.timersDie = true;
    void world.ask("a");
    await settle();
    world.timersDie = false;
    world.db.mode = "works";
    let answer: unknown;
    void world.ask("a", { untilMs: Infinity }).then((said) => (answer = said));
    await world.pass(1_599);
    expect(answer).toBeUndefined();
    await world.pass(100);
    expect(answer).toMatchObject({ value: "A@1", tier: "db" });
  });
});

it("reads that were cut off are swept out, however many there are", async () => {
  const reads = new InFlightReads<null>();
  for (let number = 0; number < 10_000; number += 1) {
    reads.start(
      `key-${number}`,
      { promise: new Promise<null>(() => undefined), untilMs: number + 1_000 },
      number,
    );
  }
  expect(reads.size).toBeLessThanOrEqual(1_001);
  expect(reads.find("key-9999", 9_999)).toBeDefined();
  expect(reads.find("key-9999", 10_999)).toBeUndefined();
  await settle();
});
