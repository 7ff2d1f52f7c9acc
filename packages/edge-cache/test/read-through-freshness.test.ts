/** Fresh for 30 s, stale while one refresh runs, loaded first past 60 s; absences for 10 s. */
import { describe, expect, it } from "vitest";
import { aWorld, live, settle, type World } from "./read-through-world.ts";

async function aWorldThatHolds(key: string): Promise<World> {
  const world = aWorld();
  world.kv.texts.set(key, live(1, "A"));
  await world.ask(key);
  world.takeEvents();
  world.kv.asked.length = 0;
  world.deferred.length = 0;
  return world;
}

describe("a held link", () => {
  it("is answered on the spot while it is fresh: no promise, no call, nothing deferred", async () => {
    const world = await aWorldThatHolds("a");
    await world.pass(29_999);
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "isolate", isImmediate: true });
    expect([world.kv.asked.length, world.db.asked.length, world.deferred.length]).toEqual([0, 0, 0]);
    expect(world.takeEvents()).toEqual([]);
  });

  it("is answered on the spot from 30 s on, while it is refreshed behind the answer", async () => {
    const world = await aWorldThatHolds("a");
    world.kv.texts.set("a", live(2, "B"));
    await world.pass(30_000);
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "stale", isImmediate: true });
    expect(world.deferred).toHaveLength(1);
    await settle();
    expect(await world.ask("a")).toMatchObject({ value: "B@2", tier: "isolate" });
    expect(world.takeEvents()).toEqual(["refreshing"]);
  });

  it("is refreshed once, however many visitors find it stale", async () => {
    const world = await aWorldThatHolds("a");
    Object.assign(world.kv, { mode: "slow", slowMs: 100 });
    await world.pass(30_000);
    for (let visitor = 0; visitor < 50; visitor += 1) {
      expect(await world.ask("a")).toMatchObject({ tier: "stale" });
    }
    await world.pass(100);
    expect(world.kv.asked).toEqual(["a"]);
    expect(world.takeEvents().filter((event) => event === "refreshing")).toHaveLength(1);
  });

  it("is refreshed again when the request that did so was cut off", async () => {
    const world = await aWorldThatHolds("a");
    await world.pass(30_000);
    Object.assign(world, { timersDie: true });
    world.kv.mode = "hangs";
    await world.ask("a");
    Object.assign(world, { timersDie: false });
    world.kv.mode = "works";
    await world.pass(5_000);
    await world.ask("a");
    await settle();
    expect(await world.ask("a")).toMatchObject({ tier: "isolate" });
  });

  it("is loaded before it is answered once it is 60 s old", async () => {
    const world = await aWorldThatHolds("a");
    world.kv.texts.set("a", live(2, "B"));
    await world.pass(59_999);
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "stale" });
    await settle();

    const other = await aWorldThatHolds("a");
    other.kv.texts.set("a", live(2, "B"));
    await other.pass(60_000);
    expect(await other.ask("a")).toMatchObject({ value: "B@2", tier: "kv", isImmediate: false });
  });
});

describe("a held absence", () => {
  it("is answered for 10 s, then looked up again before anything is answered", async () => {
    const world = aWorld();
    await world.ask("a");
    world.db.texts.set("a", live(1, "A"));
    await world.pass(9_999);
    expect(await world.ask("a")).toMatchObject({ kind: "negative", tier: "negative", isImmediate: true });
    await world.pass(1);
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "db" });
  });

  it("ends a link that the database no longer has", async () => {
    const world = await aWorldThatHolds("a");
    world.kv.texts.clear();
    await world.pass(60_000);
    expect(await world.ask("a")).toMatchObject({ kind: "negative", tier: "db" });
    expect(world.cache.sizes().liveEntries).toBe(0);
  });

  it("never takes the place of a link that arrived while the database was asked", async () => {
    const world = aWorld();
    Object.assign(world.db, { mode: "slow", slowMs: 50 });
    const asked = world.ask("a");
    await settle();
    world.cache.put({ kind: "live", key: "a", value: "new", version: 1, costBytes: 10 });
    await world.pass(50);
    expect(await asked).toMatchObject({ value: "new@1" });
  });
});

describe("version order", () => {
  it("an older version in KV does not replace a newer one; the database decides", async () => {
    const world = await aWorldThatHolds("a");
    world.cache.put({ kind: "live", key: "a", value: "B", version: 2, costBytes: 10 });
    world.db.texts.set("a", live(2, "B"));
    await world.pass(60_000);
    expect(await world.ask("a")).toMatchObject({ value: "B@2", tier: "db" });
    await settle();
    expect(world.takeEvents()).toEqual(["behind kv"]);
    expect(world.kv.texts.get("a")).toBe(live(1, "A"));
  });

  it("a newer version that arrives while KV is read is the answer", async () => {
    const world = aWorld();
    Object.assign(world.kv, { mode: "slow", slowMs: 50 });
    world.kv.texts.set("a", live(1, "A"));
    const asked = world.ask("a");
    await settle();
    world.cache.put({ kind: "live", key: "a", value: "B", version: 2, costBytes: 10 });
    await world.pass(50);
    expect(await asked).toMatchObject({ value: "B@2", tier: "isolate" });
    expect(world.db.asked).toEqual([]);
  });

  it("a link is not resurrected by a KV that has not heard of its deletion", async () => {
    const world = await aWorldThatHolds("a");
    world.cache.put({ kind: "negative", key: "a", version: 2, costBytes: 10 });
    world.db.texts.set("a", "deleted:2");
    await world.pass(10_000);
    expect(await world.ask("a")).toMatchObject({ kind: "negative", tier: "db" });
  });
});

describe("after missed changes", () => {
  it("a held link is asked of the database, not of a KV that may be old, before it is answered again", async () => {
    const world = await aWorldThatHolds("a");
    world.db.texts.set("a", live(2, "B"));
    await world.pass(1_000);
    world.cache.markAllStale();
    world.isKvDoubted = true;
    expect(await world.ask("a")).toMatchObject({ value: "B@2", tier: "db", isImmediate: false });
    expect(await world.ask("a")).toMatchObject({ value: "B@2", tier: "isolate" });
  });

  it("what was announced before them is asked of the database, too, where KV has less than that", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    world.announced.set("a", { version: 2, text: live(2, "B") });
    world.db.texts.set("a", "deleted:3");
    world.isKvDoubted = true;
    expect(await world.ask("a")).toMatchObject({ kind: "negative", tier: "db" });
  });

  it("is not put again as fresh by a statement that fails", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    world.announced.set("a", { version: 2, text: live(2, "B") });
    Object.assign(world, { isKvDoubted: true });
    world.db.mode = "throws";
    expect(await world.ask("a")).toMatchObject({ value: "B@2", tier: "stale" });
    world.db.mode = "works";
    world.db.texts.set("a", "deleted:3");
    await world.pass(10_000);
    expect(await world.ask("a")).toMatchObject({ kind: "negative", tier: "db" });
  });

  it("nobody who comes while the database is asked gets what KV said before", async () => {
    const world = await aWorldThatHolds("a");
    world.db.texts.set("a", live(2, "B"));
    Object.assign(world.db, { mode: "slow", slowMs: 50 });
    world.cache.markAllStale();
    world.isKvDoubted = true;
    await world.pass(1);
    const first = world.ask("a");
    await world.pass(10);
    const second = world.ask("a");
    await world.pass(100);
    expect([await first, await second]).toMatchObject([{ value: "B@2" }, { value: "B@2" }]);
  });

  it("KV's answer is given where the database can't be asked, and asked again", async () => {
    const world = aWorld();
    Object.assign(world, { isKvDoubted: true });
    world.kv.texts.set("a", live(1, "A"));
    world.db.mode = "throws";
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "stale" });
    Object.assign(world.db, { mode: "works" });
    world.db.texts.set("a", live(2, "B"));
    await world.pass(10_000);
    await world.ask("a");
    await world.pass(100);
    expect(await world.ask("a")).toMatchObject({ value: "B@2", tier: "isolate" });
  });
});

it("an end of which the database knows nothing is over when it has been asked", async () => {
  const world = aWorld();
  world.cache.put({ kind: "negative", key: "a", version: 3, costBytes: 10 });
  world.kv.texts.set("a", live(2, "B"));
  world.db.texts.set("a", live(2, "B"));
  await world.pass(10_000);
  expect(await world.ask("a")).toMatchObject({ value: "B@2", tier: "db" });
});

describe("a change of which only the version is known", () => {
  it("is what the database says, though KV still has the former", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    world.db.texts.set("a", live(2, "B"));
    world.announced.set("a", { version: 2, text: null });
    expect(await world.ask("a")).toMatchObject({ value: "B@2", tier: "db" });
  });

  it("of another key with the same hash costs a look-up, and no answer", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    world.db.texts.set("a", live(1, "A"));
    world.announced.set("a", { version: 9, text: null });
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "db" });
  });

  it("is not hidden by a database that was asked before it was made", async () => {
    const world = aWorld();
    world.db.texts.set("a", live(1, "A"));
    Object.assign(world.db, { mode: "slow", slowMs: 50 });
    const asked = world.ask("a");
    await settle();
    world.announced.set("a", { version: 2, text: null });
    await world.pass(49);
    const before = world.db.groups.length;
    await world.pass(1);
    world.db.texts.set("a", live(2, "B"));
    await world.pass(50);
    expect(await asked).toMatchObject({ value: "B@2", tier: "db" });
    expect([before, world.db.groups.length]).toEqual([1, 2]);
  });
});
