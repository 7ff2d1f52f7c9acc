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

describe("a key that may have got another owner before KV and the database failed", () => {
  it.each([
    ["without a feed, a link of a minute ago is still its owner's", 60_000, "A@1"],
    ["without a feed, a link of before that may be another's", 60_001, null],
  ])("%s", async (_, agoMs, value) => {
    const world = await anOutageAfter(agoMs);
    world.heardUntilMs = -Infinity;
    expect(await world.ask("a")).toMatchObject({ value });
    // Nor for who does not wait; and as long as nothing works, nothing changes hands.
    await world.pass(1_000);
    expect(await world.ask("a")).toMatchObject({ value, isImmediate: value !== null });
    for (let minutes = 0; minutes < 60; minutes += 1) {
      await world.pass(60_000);
      expect(await world.ask("a")).toMatchObject({ value });
    }
  });

  it.each([
    ["two minutes before the outage: every deletion until then is known", 120_000, "A@1"],
    ["longer ago", 120_001, null],
  ])("the feed was last read %s", async (_, agoMs, value) => {
    const world = await anOutageAfter(HOUR_MS);
    world.heardUntilMs = world.nowMs() - agoMs;
    expect(await world.ask("a")).toMatchObject({ value });
  });

  it("is unavailable where the tiers have worked meanwhile, and where no visitor came who would have known", async () => {
    for (const works of [true, false]) {
      const world = await anOutageAfter(HOUR_MS);
      world.heardUntilMs = world.nowMs();
      expect(await world.ask("a")).toMatchObject({ value: "A@1" });
      await world.pass(60_000);
      expect(await world.ask("a")).toMatchObject({ value: "A@1" });
      await world.pass(30_000);
      Object.assign(world.kv, { mode: works ? "works" : "throws" });
      await (works ? world.ask("another") : world.pass(30_001));
      world.kv.mode = "throws";
      await world.pass(31_000);
      expect(await world.ask("a")).toMatchObject({ kind: "unavailable" });
      // The feed is read after all, and nothing has changed.
      world.heardUntilMs = world.nowMs();
      expect(await world.ask("a")).toMatchObject({ value: "A@1" });
    }
  });

  it("is unavailable where the feed has lost what happened since it was stored", async () => {
    const world = await anOutageAfter(HOUR_MS);
    world.missedUntilMs = world.nowMs() - HOUR_MS;
    expect(await world.ask("a")).toMatchObject({ kind: "unavailable" });
  });

  it("is not answered as it was announced long ago, either", async () => {
    const world = await anOutageAfter(HOUR_MS);
    world.announced.set("new", { version: 2, text: live(2, "B") });
    world.heardUntilMs = world.nowMs() - 120_001;
    expect(await world.ask("new")).toMatchObject({ kind: "unavailable" });
    world.heardUntilMs = world.nowMs() - 60_000;
    expect(await world.ask("new")).toMatchObject({ value: "B@2" });
  });
});

describe("while only KV fails", () => {
  it("a link is what the database says, not what was announced once", async () => {
    const world = aWorld();
    world.announced.set("a", { version: 1, text: live(1, "A") });
    world.db.texts.set("a", live(2, "B"));
    world.kv.mode = "throws";
    expect(await world.ask("a")).toMatchObject({ value: "B@2", tier: "db" });
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
