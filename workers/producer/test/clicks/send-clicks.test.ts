import { describe, expect, it } from "vitest";
import { ABANDONED_AFTER_MS } from "../../src/clicks/click-buffer.ts";
import { aClick, USER_AGENT } from "../../../../packages/core/test/click/a-click.ts";
import { type BenchOptions, createBench } from "./click-sink-bench.ts";

type Bench = ReturnType<typeof createBench>;

/** Records clicks `gapMs` apart and lets a minute pass. */
async function record(bench: Bench, count: number, gapMs: number, options: BenchOptions = {}): Promise<void> {
  const sink = bench.sink(options);
  for (let index = 0; index < count; index += 1) {
    sink.record(aClick({ linkVersion: index + 1 }), bench.defer);
    if (gapMs > 0) {
      await bench.time.pass(gapMs);
    }
  }
  await bench.time.pass(60_000);
}

/** The distinct sequence numbers that were delivered, in order. */
function sequences({ delivered }: Bench): readonly number[] {
  const all = delivered.flatMap(({ firstSequence, clicks }) =>
    clicks.map((_, index) => firstSequence + index),
  );
  return [...new Set(all)].toSorted((left, right) => left - right);
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function events({ logged }: Bench): readonly string[] {
  return logged.map(({ event }) => event);
}

describe("one busy isolate", () => {
  const longHeaders = {
    userAgent: "x".repeat(512),
    referrer: "x".repeat(256),
    acceptLanguage: "x".repeat(64),
  };

  it.each([
    ["1,000 clicks in one instant", 0, 10],
    ["1,000 clicks a second", 1, 10],
    ["500 clicks a second", 2, 20],
  ])("pays at most 60 queue operations, 3 a message, for %s", async (_what, gapMs, messages) => {
    const bench = createBench();
    await record(bench, 1_000, gapMs);
    expect(bench.sends).toHaveLength(messages);
    expect(bench.sends.length * 3).toBeLessThanOrEqual(60);
    expect(sequences(bench)).toEqual(upTo(1_000));
  });

  it("pays no more for clicks with the longest headers", async () => {
    const bench = createBench();
    const sink = bench.sink();
    for (let index = 0; index < 1_000; index += 1) {
      sink.record(aClick(longHeaders), bench.defer);
    }
    await bench.time.pass(1_000);
    expect(bench.sends.length * 3).toBeLessThanOrEqual(60);
    expect(sequences(bench)).toEqual(upTo(1_000));
  });

  it("has answered the visitor who fills a segment before it sends that", async () => {
    const bench = createBench();
    const sink = bench.sink();
    for (let index = 0; index < 100; index += 1) {
      sink.record(aClick(), bench.defer);
    }
    await Promise.resolve();
    expect(bench.sends).toHaveLength(0);
    await bench.time.pass(0);
    expect(bench.sends).toHaveLength(1);
  });

  it("sends each click at once where CLICK_LINGER_MS is 0", async () => {
    const bench = createBench();
    const sink = bench.sink({ lingerMs: 0 });
    sink.record(aClick(), bench.defer);
    sink.record(aClick(), bench.defer);
    await bench.time.pass(0);
    expect(bench.delivered.map(({ firstSequence, clicks }) => [firstSequence, clicks.length])).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });
});

describe("an idle isolate", () => {
  it("sends its last click after the linger, without another visitor", async () => {
    const bench = createBench();
    bench.sink().record(aClick(), bench.defer);
    await bench.time.pass(99);
    expect(bench.delivered).toHaveLength(0);
    await bench.time.pass(1);
    expect(sequences(bench)).toEqual([1]);
    expect(bench.deferred).toHaveLength(1);
    await Promise.all(bench.deferred);
  });
});

describe("one viral link", () => {
  it.each([
    ["a message each", 0, 1],
    ["ten to a message", 100, 10],
  ])("is even over 4 shards within 20 %, 10,000 clicks at %s", async (_what, lingerMs, clicksPerMessage) => {
    const bench = createBench();
    const sink = bench.sink({ lingerMs });
    for (let index = 0; index < 10_000; index += 1) {
      sink.record(aClick(), bench.defer);
      if (index % clicksPerMessage === clicksPerMessage - 1) {
        await bench.time.pass(lingerMs);
      }
    }
    const perShard = [0, 1, 2, 3].map((number) => bench.sends.filter((shard) => shard === number).length);
    const fairShare = 10_000 / clicksPerMessage / 4;
    expect(bench.sends).toHaveLength(10_000 / clicksPerMessage);
    expect(Math.min(...perShard)).toBeGreaterThan(fairShare * 0.8);
    expect(Math.max(...perShard)).toBeLessThan(fairShare * 1.2);
  });
});

describe("when a shard refuses", () => {
  it("another one takes the segment, once, and the refusal is in the log", async () => {
    const bench = createBench();
    await record(bench, 20, 200, { shardFate: (shard) => (shard === 2 ? "refused" : "taken") });
    expect(sequences(bench)).toEqual(upTo(20));
    expect(bench.delivered).toHaveLength(20);
    expect(bench.logged).toContainEqual({ event: "segment.send_failed", shard: 2, reason: "Error" });
  });

  it("by silence, another one takes the segment under the same numbers", async () => {
    const bench = createBench();
    await record(bench, 20, 200, { shardFate: (shard) => (shard === 2 ? "lost_answer" : "taken") });
    expect(sequences(bench)).toEqual(upTo(20));
    expect(bench.logged).toContainEqual({ event: "segment.send_failed", shard: 2, reason: "TimeoutError" });
    expect(bench.buffer.countInFlight()).toBe(0);
  });
});

describe("when all shards refuse", () => {
  const refusing: BenchOptions = { shardFate: () => "refused" };

  it("the segment goes to the spill, sealed, under its own key", async () => {
    const bench = createBench();
    await record(bench, 3, 0, refusing);
    expect([...bench.spilled.keys()]).toEqual(["spill/00c0ffee12345678/0000000000000001"]);
    expect(events(bench)).toEqual([...Array<string>(4).fill("segment.send_failed"), "segment.spilled"]);
    expect(sequences(bench)).toEqual([1, 2, 3]);
  });

  it("and the spill as well, the log has the whole segment, sealed, in one line", async () => {
    const bench = createBench();
    await record(bench, 3, 0, { ...refusing, spillFate: () => "refused" });
    expect(bench.logged.at(-1)).toMatchObject({
      event: "segment.logged",
      isolateId: "00c0ffee12345678",
      firstSequence: 1,
      clicks: 3,
    });
    expect(bench.delivered.map(({ where, clicks }) => [where, clicks.length])).toEqual([["log", 3]]);
  });

  it("and there is no usable key, the clicks are named as lost and written nowhere", async () => {
    const bench = createBench();
    await record(bench, 3, 0, { ...refusing, sealKeyIsUsable: false });
    expect(bench.logged.at(-1)).toEqual({
      event: "segment.lost",
      isolateId: "00c0ffee12345678",
      firstSequence: 1,
      clicks: 3,
      reason: "seal_key_unusable",
    });
    expect([bench.spilled.size, bench.delivered.length]).toEqual([0, 0]);
    expect(bench.buffer.countInFlight()).toBe(0);
  });

  it("the next clicks are numbered on, and arrive as soon as a shard takes them", async () => {
    const bench = createBench();
    await record(bench, 3, 0, refusing);
    await record(bench, 2, 0);
    expect(bench.delivered.map(({ where, firstSequence }) => [where, firstSequence])).toEqual([
      ["spill", 1],
      ["shard", 4],
    ]);
  });
});

it("loses nothing when the number of shards changes, to none and back", async () => {
  const bench = createBench();
  for (const shardCount of [4, 2, 0, 6, 1, 24]) {
    await record(bench, 250, 1, { shardCount });
  }
  expect(sequences(bench)).toEqual(upTo(1_500));
  expect(bench.delivered.reduce((sum, { clicks }) => sum + clicks.length, 0)).toBe(1_500);
  expect(new Set(bench.delivered.map(({ where }) => where))).toEqual(new Set(["shard", "spill"]));
});

describe("when the request that started the flush is ended by the platform", () => {
  const ended: BenchOptions = { wait: () => new Promise(() => undefined) };

  it("during the linger, the next visitor's request sends its clicks", async () => {
    const bench = createBench();
    bench.sink(ended).record(aClick(), bench.defer);
    await bench.time.pass(1_000);
    expect(bench.delivered).toHaveLength(0);
    await record(bench, 1, 0);
    expect(bench.delivered.map(({ firstSequence, clicks }) => [firstSequence, clicks.length])).toEqual([
      [1, 2],
    ]);
  });

  it("during the send, a later request sends the segment again, under the same numbers", async () => {
    const bench = createBench();
    bench
      .sink({ ...ended, lingerMs: 0, shardFate: () => "hangs" })
      .record(aClick({ linkVersion: 77 }), bench.defer);
    await bench.time.pass(ABANDONED_AFTER_MS + 1);
    await record(bench, 1, 0);
    expect(sequences(bench)).toEqual([1, 2]);
    expect(bench.delivered.find(({ firstSequence }) => firstSequence === 1)?.clicks[0]?.linkVersion).toBe(77);
  });
});

it("holds a bounded number of segments while everything hangs", async () => {
  const bench = createBench();
  const sink = bench.sink({ shardFate: () => "hangs", spillFate: () => "hangs" });
  let most = 0;
  for (let index = 0; index < 200_000; index += 1) {
    sink.record(aClick(), bench.defer);
    if (index % 1_000 === 999) {
      await bench.time.pass(100);
      most = Math.max(most, bench.buffer.countInFlight());
    }
  }
  await bench.time.pass(60_000);
  expect(most).toBeLessThan(250);
  expect(bench.buffer.countInFlight()).toBe(0);
  expect(sequences(bench)).toHaveLength(200_000);
});

it("writes no address, not even a truncated one, and no user agent anywhere but into a queue", async () => {
  const bench = createBench();
  for (const spillFate of ["taken", "refused", "hangs"] as const) {
    for (const sealKeyIsUsable of [true, false]) {
      await record(bench, 3, 0, { shardFate: () => "refused", spillFate: () => spillFate, sealKeyIsUsable });
    }
  }
  const written = JSON.stringify([bench.logged, [...bench.spilled]]);
  expect(new Set(events(bench))).toEqual(
    new Set([
      "segment.send_failed",
      "segment.spilled",
      "segment.spill_failed",
      "segment.logged",
      "segment.lost",
    ]),
  );
  for (const secret of ["203.0.113", USER_AGENT, "Firefox", "news.example.org", "Zürich", "0198f3c2"]) {
    expect(written).not.toContain(secret);
  }
});
