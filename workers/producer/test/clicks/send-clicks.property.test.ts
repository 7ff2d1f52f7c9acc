/**
 * The promise of the edge, over random histories: bursts and pauses, shards and spill that refuse, hang or lose their
 * answer, requests that end at any wait, a number of shards that changes, a key that is not there.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { ABANDONED_AFTER_MS } from "../../src/clicks/click-buffer.ts";
import { aClick } from "../../../../packages/core/test/click/a-click.ts";
import { createBench, type Fate } from "./click-sink-bench.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

const fate = fc.constantFrom<Fate>("taken", "taken", "refused", "hangs", "lost_answer");

const step = fc.record({
  clicks: fc.constantFrom(1, 1, 2, 3, 40, 120),
  pauseMs: fc.constantFrom(0, 0, 1, 60, 100, 400, 4_000, ABANDONED_AFTER_MS),
  lingerMs: fc.constantFrom(100, 100, 0),
  shardCount: fc.constantFrom(4, 4, 1, 0),
  shardFates: fc.array(fate, { minLength: 1, maxLength: 4 }),
  spillFates: fc.array(fate, { minLength: 1, maxLength: 3 }),
  sealKeyIsUsable: fc.constantFrom(true, true, true, false),
  /** The wait at which the platform ends the requests of this step; 0: they live. */
  endsAtWait: fc.constantFrom(0, 0, 1, 2, 3, 5),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

it("delivers every click under one number, without a gap, or reports it lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const bench = createBench();
      let recorded = 0;
      for (const one of steps) {
        recorded += recordStep(bench, one, recorded);
        await bench.time.pass(one.pauseMs);
      }
      recorded += await sweep(bench, recorded);
      expectEachOnce(bench, recorded);
    }),
    runs(300),
  );
});

/** Each click of the test has its own link version, from 1, by which it is told from the others. */
function recordStep(bench: ReturnType<typeof createBench>, one: Step, before: number): number {
  let waits = 0;
  let sends = 0;
  let spills = 0;
  const sink = bench.sink({
    ...one,
    shardFate: () => one.shardFates[sends++ % one.shardFates.length] ?? "taken",
    spillFate: () => one.spillFates[spills++ % one.spillFates.length] ?? "taken",
    wait: (ms) => {
      waits += 1;
      return one.endsAtWait !== 0 && waits >= one.endsAtWait
        ? new Promise(() => undefined)
        : bench.time.wait(ms);
    },
  });
  for (let index = 1; index <= one.clicks; index += 1) {
    sink.record(aClick({ linkVersion: before + index }), bench.defer);
  }
  return one.clicks;
}

/** Ordinary traffic afterwards, on a good day, until nothing is left behind. */
async function sweep(bench: ReturnType<typeof createBench>, before: number): Promise<number> {
  let swept = 0;
  await bench.time.pass(ABANDONED_AFTER_MS + 1);
  do {
    swept += 1;
    bench.sink().record(aClick({ linkVersion: before + swept }), bench.defer);
    await bench.time.pass(1_000);
    expect(swept).toBeLessThan(1_000);
  } while (bench.buffer.countInFlight() > 0);
  return swept;
}

function expectEachOnce({ delivered, logged }: ReturnType<typeof createBench>, recorded: number): void {
  const clickOf = new Map<number, number>();
  const numberOf = new Map<number, number>();
  for (const { firstSequence, clicks } of delivered) {
    for (const [index, { linkVersion }] of clicks.entries()) {
      const sequence = firstSequence + index;
      expect(clickOf.get(sequence) ?? linkVersion).toBe(linkVersion);
      expect(numberOf.get(linkVersion) ?? sequence).toBe(sequence);
      clickOf.set(sequence, linkVersion);
      numberOf.set(linkVersion, sequence);
    }
  }
  const accountedFor = new Set(clickOf.keys());
  for (const event of logged) {
    if (event.event === "segment.lost") {
      for (let index = 0; index < event.clicks; index += 1) {
        accountedFor.add(event.firstSequence + index);
      }
    }
  }
  expect(accountedFor.size).toBe(recorded);
  expect(Math.max(...accountedFor)).toBe(recorded);
  expect(Math.min(...accountedFor)).toBe(1);
}
