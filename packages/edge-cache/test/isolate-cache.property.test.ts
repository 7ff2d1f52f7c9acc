// Random histories of the isolate cache against the plain model: same answers, same sizes, budgets kept at each step.

import fc from "fast-check";
import { expect, it } from "vitest";

import { FRESH_FOR_MS, IsolateCache, JITTER_SHARE, NEGATIVE_FRESH_FOR_MS } from "../src/isolate-cache.ts";
import { createModel, type ModelEntry, type ModelLimits } from "./isolate-cache-model.ts";
import { runs } from "../../core/test/runs.ts";

const LAST_KEY = 60;

// Few keys with a skew, so that hits, promotions, ghosts and second rounds of the main queue all happen.
const key = fc
  .tuple(fc.nat(LAST_KEY), fc.nat(LAST_KEY))
  .map(([first, second]) => `key${Math.floor((first * second) / LAST_KEY)}`);
const version = fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.nat(3) });
const costBytes = fc.oneof({ weight: 9, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(12) });

// Asked for several times in a row, so that some earn their place in the main queue while still in the small one.
const times = fc.integer({ min: 1, max: 5 });

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("ask" as const), key, version, costBytes, times }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("get" as const), key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("put" as const), key, version, costBytes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("putNegative" as const), key, version, costBytes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), key }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), forMs: fc.nat(40_000), draw: fc.nat(99) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const limits = fc.record({
  budgetBytes: fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) },
    { weight: 5, arbitrary: fc.integer({ min: 20, max: 60 }) },
  ),
  negativeBudgetBytes: fc.integer({ min: 1, max: 12 }),
  overheadBytes: fc.nat(1),
});

function createPair(bounds: ModelLimits) {
  let nowMs = 1_700_000_000_000;
  let draw = 0;
  const cache = new IsolateCache<string>({
    ...bounds,
    nowMs: () => nowMs,
    random: () => draw,
  });
  const model = createModel(bounds);
  let written = 0;

  function put(input: { key: string; version: number; costBytes: number }): void {
    written += 1;
    const value = `value${written}`;
    const expected = model.put({ kind: "live", value, ...timed(input, FRESH_FOR_MS) });
    expect(cache.put({ ...input, kind: "live", value })).toMatchObject(expected);
  }

  function putNegative(input: { key: string; version: number; costBytes: number }): void {
    const expected = model.putNegative({ kind: "negative", ...timed(input, NEGATIVE_FRESH_FOR_MS) });
    expect(cache.put({ ...input, kind: "negative" })).toMatchObject(expected);
  }

  function timed(input: { key: string; version: number; costBytes: number }, forMs: number) {
    return {
      key: input.key,
      version: input.version,
      costBytes: Math.max(1, input.costBytes + bounds.overheadBytes),
      storedAtMs: nowMs,
      freshUntilMs: nowMs + forMs * (1 - JITTER_SHARE * draw),
    };
  }

  /** Asks both for `key`; they must agree on what is known, stale or fresh. */
  function get(wanted: string): ModelEntry | undefined {
    const expected = model.get(wanted);
    const found = cache.get(wanted);
    if (expected === undefined) {
      expect(found).toBeUndefined();
    } else {
      expect(found).toMatchObject(expected);
    }
    return expected;
  }

  function run(one: Step): void {
    switch (one.kind) {
      case "ask":
        for (let time = 0; time < one.times; time += 1) {
          if (get(one.key) === undefined) {
            put({ key: one.key, version: one.version, costBytes: one.costBytes });
          }
        }
        return;
      case "get":
        get(one.key);
        return;
      case "put":
        put({ key: one.key, version: one.version, costBytes: one.costBytes });
        return;
      case "putNegative":
        putNegative({ key: one.key, version: one.version, costBytes: one.costBytes });
        return;
      case "delete":
        expect(cache.delete(one.key)).toBe(model.delete(one.key));
        return;
      case "wait":
        nowMs += one.forMs;
        draw = one.draw / 100;
    }
  }
  return { cache, model, run, get };
}

it("answers as the plain model does and keeps both budgets after every step", () => {
  fc.assert(
    fc.property(limits, fc.array(step, { minLength: 20, maxLength: 300, size: "max" }), (bounds, steps) => {
      const { cache, model, run, get } = createPair(bounds);
      for (const one of steps) {
        run(one);
        const sizes = cache.sizes();
        expect(sizes).toMatchObject(model.sizes());
        expect(sizes.liveBytes).toBeLessThanOrEqual(bounds.budgetBytes);
        expect(sizes.negativeBytes).toBeLessThanOrEqual(bounds.negativeBudgetBytes);
      }
      for (let index = 0; index <= LAST_KEY; index += 1) {
        get(`key${index}`);
      }
    }),
    { ...runs(300), seed: 20_261_121 },
  );
});

it("visits promotion, readmission from the ghost and eviction in such histories", () => {
  const seen = { promoted: 0, readmitted: 0, evicted: 0, refusedTooLarge: 0, refusedOlder: 0 };
  for (const [bounds, steps] of fc.sample(
    fc.tuple(limits, fc.array(step, { minLength: 200, maxLength: 300 })),
    {
      numRuns: 50,
      seed: 20_261_121,
    },
  )) {
    const { model, run } = createPair(bounds);
    steps.forEach(run);
    seen.promoted += model.seen.promoted;
    seen.readmitted += model.seen.readmitted;
    seen.evicted += model.seen.evicted;
    seen.refusedTooLarge += model.seen.refusedTooLarge;
    seen.refusedOlder += model.seen.refusedOlder;
  }
  const rare = Object.entries(seen).filter(([, count]) => count <= 100);
  expect(rare).toEqual([]);
});
