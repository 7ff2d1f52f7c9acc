/** When KV and the database both fail, the last known answer is served up to 24 h old. */
import { describe, expect, it } from "vitest";
import { aWorld, deleted, live, settle, type World } from "./read-through-world.ts";

const HOUR_MS = 60 * 60 * 1_000;

async function anOutageAfter(ms: number, text = live(1, "A")): Promise<World> {
  const world = aWorld();
  world.kv.texts.set("a", text);
  await world.ask("a");
  await world.pass(ms);
  world.kv.mode = "throws";
  world.db.mode = "throws";
  world.takeEvents();
  world.kv.asked.length = 0;
  return world;
}

describe("while KV and the database both fail", () => {
  it("a link is served up to 24 h after it was known", async () => {
    const world = await anOutageAfter(24 * HOUR_MS - 1);
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "stale" });
    expect(world.takeEvents()).toEqual(["load_failed kv TypeError", "load_failed db TypeError"]);
  });

  it("a link that was known longer ago is unavailable", async () => {
    const world = await anOutageAfter(24 * HOUR_MS);
    expect(await world.ask("a")).toMatchObject({ kind: "unavailable" });
  });

  it("a deletion is an answer like any other; a mere absence is not, for a link may have come since", async () => {
    const deletion = await anOutageAfter(HOUR_MS, deleted(2));
    expect(await deletion.ask("a")).toMatchObject({ kind: "negative", tier: "stale" });

    const absence = aWorld();
    await absence.ask("a");
    await absence.pass(10_000);
    absence.kv.mode = "throws";
    absence.db.mode = "throws";
    expect(await absence.ask("a")).toMatchObject({ kind: "unavailable" });
  });

  it("what may have changed hands while the isolate was idle is unavailable, also to those who do not wait", async () => {
    const world = await anOutageAfter(HOUR_MS);
    world.heardSinceMs = world.nowMs();
    expect(await world.ask("a")).toMatchObject({ kind: "unavailable" });
    const second = world.ask("a");
    await world.pass(1_000);
    expect(await second).toMatchObject({ kind: "unavailable" });
    // The feed was read after all: nothing has changed.
    world.heardSinceMs = -Infinity;
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "stale" });
  });

  it("one visitor finds out, the others do not wait", async () => {
    const world = await anOutageAfter(HOUR_MS);
    world.kv.mode = "hangs";
    world.db.mode = "hangs";
    const first = world.ask("a");
    await world.pass(1_750);
    expect(await first).toMatchObject({ tier: "stale", isImmediate: false });
    for (let visitor = 0; visitor < 20; visitor += 1) {
      expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "stale", isImmediate: true });
      await world.pass(500);
    }
  });

  it("the tiers are tried once a second in the background, not once a visitor", async () => {
    const world = await anOutageAfter(31_000);
    for (let visitor = 0; visitor < 1_000; visitor += 1) {
      expect(await world.ask("a")).toMatchObject({ tier: "stale", isImmediate: true });
      await world.pass(10);
    }
    expect(world.kv.asked.length).toBeLessThanOrEqual(12);
    expect(world.db.asked.length).toBeLessThanOrEqual(12);
  });

  it("a try that succeeds ends it: the next visitor has the new answer", async () => {
    const world = await anOutageAfter(HOUR_MS);
    await world.ask("a");
    Object.assign(world.kv, { mode: "works" });
    world.kv.texts.set("a", live(2, "B"));
    await world.pass(1_000);
    await world.ask("a");
    await settle();
    expect(await world.ask("a")).toMatchObject({ value: "B@2", tier: "isolate" });
  });

  it("an isolate that has been idle for ten seconds asks again before it answers", async () => {
    const world = await anOutageAfter(HOUR_MS);
    await world.ask("a");
    world.kv.mode = "works";
    await world.pass(10_000);
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "kv", isImmediate: false });
  });
});

describe("while only the database fails", () => {
  it("links in KV are answered as ever, also after scans have failed", async () => {
    const world = aWorld();
    world.kv.texts.set("a", live(1, "A"));
    await world.ask("a");
    world.db.mode = "throws";
    expect(await world.ask("unknown")).toMatchObject({ kind: "unavailable" });
    await world.pass(60_000);
    expect(await world.ask("unknown")).toMatchObject({ kind: "unavailable" });
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "kv" });
  });

  it("a link that KV has lost is served as it was, and the visitor does not wait for the database", async () => {
    const world = aWorld();
    world.db.texts.set("a", live(1, "A"));
    await world.ask("a");
    await settle();
    world.kv.texts.clear();
    world.db.mode = "hangs";
    await world.pass(60_000);
    const first = world.ask("a");
    await world.pass(1_500);
    expect(await first).toMatchObject({ value: "A@1", tier: "stale" });
    expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "stale" });
  });
});

it("while only KV fails, the database answers and nothing is stale", async () => {
  const world = aWorld();
  world.db.texts.set("a", live(1, "A"));
  world.kv.mode = "throws";
  await world.ask("a");
  await world.pass(60_000);
  expect(await world.ask("a")).toMatchObject({ value: "A@1", tier: "db" });
});
