/** Who is asked, and what a failure of one tier means. */
import { describe, expect, it } from "vitest";
import { aWorld, deleted, live, settle } from "./read-through-world.ts";

describe("a key that the isolate does not hold", () => {
  it("is found in KV with one read, and the database is not asked", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "kv" });
    expect([world.kv.asked.length, world.db.asked.length]).toEqual([1, 0]);
  });

  it("is found in the database, and held by the isolate", async () => {
    const world = aWorld();
    world.db.texts.set("a", live(1, "A"));
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "db" });
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "isolate", isImmediate: true });
  });

  it("that nobody knows is absent", async () => {
    const world = aWorld();
    expect(await world.ask("a")).toMatchObject({ kind: "negative", tier: "db" });
    expect(await world.ask("a")).toMatchObject({ kind: "negative", tier: "negative", isImmediate: true });
    expect(world.db.asked).toHaveLength(1);
  });

  it("that was deleted is absent, whichever tier says so", async () => {
    const world = aWorld();
    world.kv.texts.set("a", deleted(3));
    world.db.texts.set("b", deleted(3));
    expect(await world.ask("a")).toMatchObject({ kind: "negative", tier: "kv" });
    expect(await world.ask("b")).toMatchObject({ kind: "negative", tier: "db" });
    expect(world.cache.peek("b")).toMatchObject({ kind: "negative", version: 3 });
  });

  it("is decoded once a fill, and not when it is answered from the isolate", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    await world.ask("a");
    await world.ask("a");
    await world.ask("a");
    expect(world.decodes).toBe(1);
  });
});

describe("KV", () => {
  it("that throws is passed over for the database", async () => {
    const world = aWorld();
    world.kv.mode = "throws";
    world.db.texts.set("a", live(1, "A"));
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "db" });
    await settle();
    expect(world.takeEvents()).toEqual(["load_failed kv TypeError"]);
  });

  it("that hangs is passed over after 250 ms", async () => {
    const world = aWorld();
    world.kv.mode = "hangs";
    world.db.texts.set("a", live(1, "A"));
    const asked = world.ask("a");
    await world.pass(249);
    expect(world.db.asked).toEqual([]);
    await world.pass(1);
    expect(await asked).toMatchObject({ value: "A@1", tier: "db" });
    expect(world.takeEvents()[0]).toBe("load_failed kv TimeoutError");
  });

  it("whose answer comes late changes nothing", async () => {
    const world = aWorld();
    Object.assign(world.kv, { mode: "slow", slowMs: 400 });
    world.kv.texts.set("a", live(1, "old"));
    world.db.texts.set("a", live(2, "new"));
    const asked = world.ask("a");
    await world.pass(500);
    expect(await asked).toMatchObject({ value: "new@2", tier: "db" });
    expect(world.cache.peek("a")).toMatchObject({ version: 2 });
  });

  it("that holds a damaged value is a miss, and says so", async () => {
    const world = aWorld();
    world.kv.texts.set("a", "nonsense");
    world.db.texts.set("a", live(1, "A"));
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "db" });
    expect(world.takeEvents()).toEqual(["record_rejected kv (whole)"]);
  });
});

describe("the database", () => {
  it("that throws, with nothing held, makes the answer unavailable, never absent", async () => {
    const world = aWorld();
    world.db.mode = "throws";
    expect(await world.ask("a")).toMatchObject({ kind: "unavailable" });
    expect(world.cache.peek("a")).toBeUndefined();
    world.db.mode = "works";
    world.db.texts.set("a", live(1, "A"));
    await world.pass(100);
    expect(await world.ask("a")).toMatchObject({ value: "A@1" });
  });

  it("that hangs is waited for until the visitor has waited for 800 ms, and its statement goes on for 1,500", async () => {
    const world = aWorld();
    world.db.mode = "hangs";
    let reply: unknown = null;
    void world.ask("a").then((settled) => (reply = settled));
    await world.pass(799);
    expect(reply).toBeNull();
    await world.pass(1);
    expect(reply).toMatchObject({ kind: "unavailable" });
    await world.pass(699);
    expect(world.takeEvents()).toEqual([]);
    await world.pass(1);
    expect(world.takeEvents()).toEqual(["load_failed db TimeoutError"]);
  });

  it("that holds a damaged record makes the answer unavailable: the link exists", async () => {
    const world = aWorld();
    world.db.texts.set("a", "nonsense");
    expect(await world.ask("a")).toMatchObject({ kind: "unavailable" });
  });
});

it("both timeouts are settings", async () => {
  const world = aWorld({ kvTimeoutMs: 10, originTimeoutMs: 20 });
  world.kv.mode = "hangs";
  world.db.mode = "hangs";
  const asked = world.ask("a");
  await world.pass(10 + 20);
  expect(await asked).toMatchObject({ kind: "unavailable" });
});
