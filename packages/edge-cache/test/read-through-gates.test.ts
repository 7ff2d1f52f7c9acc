/** DESIGN.md 2: what stands before the database. Each number here is one that DEFAULT_LIMITS states. */
import { describe, expect, it } from "vitest";
import { aWorld, live, settle } from "./read-through-world.ts";

const keys = (count: number, prefix = "unknown"): readonly string[] =>
  Array.from({ length: count }, (_, number) => `${prefix}-${number}`);

describe("queries that find nothing", () => {
  it("are 100 at once and 5 a second from then on, however many keys are asked for", async () => {
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

  it("are refused beyond that, and nothing is claimed about the key", async () => {
    const world = aWorld({ absentQueries: { burst: 1, perSecond: 1 } });
    await world.ask("a");
    expect(await world.ask("b")).toMatchObject({ kind: "exhausted" });
    expect(world.cache.peek("b")).toBeUndefined();
    await world.pass(1_000);
    expect(await world.ask("b")).toMatchObject({ kind: "negative", tier: "db" });
  });

  it("are charged when they fail, too: a failing database is not asked more often than a working one", async () => {
    const world = aWorld();
    world.db.mode = "throws";
    for (const key of keys(1_000)) {
      await world.ask(key);
    }
    expect(world.db.asked).toHaveLength(100);
  });

  it("do not stop a cold start: a thousand links in the database alone are all found", async () => {
    const world = aWorld();
    for (const key of keys(1_000, "link")) {
      world.db.texts.set(key, live(1, key));
    }
    const replies = [];
    for (const key of keys(1_000, "link")) {
      replies.push(await world.ask(key));
    }
    expect(replies.every(({ kind }) => kind === "live")).toBe(true);
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

describe("concurrent queries", () => {
  it("are 16 at once; 32 more wait for a place; the rest are refused at once", async () => {
    const world = aWorld();
    world.db.mode = "hangs";
    const replies = keys(60).map((key) => world.ask(key));
    const refused = new Set<number>();
    replies.forEach((reply, number) => void reply.then(({ kind }) => kind === "busy" && refused.add(number)));
    await settle();
    expect([world.db.asked.length, refused.size]).toEqual([16, 60 - 16 - 32]);
    await world.pass(250);
    expect([world.db.asked.length, refused.size]).toEqual([16, 60 - 16]);
  });

  it("let those that wait in as places become free", async () => {
    const world = aWorld();
    Object.assign(world.db, { mode: "slow", slowMs: 60 });
    const replies = keys(40).map((key) => world.ask(key));
    await world.pass(250);
    expect((await Promise.all(replies)).every(({ kind }) => kind === "negative")).toBe(true);
  });

  it("of requests that were cut off do not hold their places for ever", async () => {
    const world = aWorld();
    world.db.mode = "hangs";
    world.timersDie = true;
    for (const key of keys(60)) {
      void world.ask(key);
    }
    await settle();
    Object.assign(world, { timersDie: false });
    world.db.mode = "works";
    await world.pass(1_600);
    expect(await world.ask("a")).toMatchObject({ kind: "negative", tier: "db" });
  });

  it("that are refused leave a held link as it was", async () => {
    const world = aWorld({ originQueue: 0 });
    world.db.texts.set("a", live(1, "A"));
    await world.ask("a");
    await settle();
    world.kv.texts.clear();
    await world.pass(60_000);
    world.db.mode = "hangs";
    for (const key of keys(16)) {
      void world.ask(key);
    }
    await settle();
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "stale" });
  });
});

describe("a visitor over the limit", () => {
  it("is refused what neither the isolate nor KV knows, before the database is asked", async () => {
    const world = aWorld();
    world.db.texts.set("a", live(1, "A"));
    expect(await world.ask("a", { isAdmitted: false })).toMatchObject({ kind: "visitor" });
    expect(world.db.asked).toEqual([]);
    expect(world.takeEvents()).toEqual(["refused visitor"]);
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
      expect(await world.ask("a", { isAdmitted: false })).toMatchObject({ value: "A@1", tier });
      await settle();
    }
    world.kv.texts.clear();
    await world.pass(60_000);
    expect(await world.ask("a", { isAdmitted: false })).toMatchObject({ value: "A@1", tier: "db" });
  });

  it.each([
    ["throws", async () => Promise.reject(new Error("no such binding"))],
    ["hangs", () => new Promise<boolean>(() => undefined)],
  ])("is let in when the limit itself %s", async (_how, admit) => {
    const world = aWorld();
    world.db.texts.set("a", live(1, "A"));
    const asked = world.readThrough.load("a", { defer: () => undefined, admit });
    await world.pass(50);
    expect(await asked).toMatchObject({ kind: "found", tier: "db" });
  });
});
