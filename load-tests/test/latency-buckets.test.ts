import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  LATENCY_BOUNDS_MS,
  LATENCY_COUNTERS,
  latencyAtShare,
  latencyBucketOf,
} from "../script/latency-buckets.ts";
import { tierOf } from "../script/tiers.ts";
import { runs } from "../../packages/core/test/runs.ts";

describe("a latency bucket", () => {
  it("holds the answers up to and with its bound", () => {
    for (const [index, bound] of LATENCY_BOUNDS_MS.entries()) {
      expect([latencyBucketOf(bound), latencyBucketOf(bound + 0.001)]).toEqual([index, index + 1]);
    }
    expect(latencyBucketOf(0)).toBe(0);
    expect(LATENCY_COUNTERS).toHaveLength(LATENCY_BOUNDS_MS.length + 1);
  });
});

describe("a percentile of a histogram", () => {
  it("is nothing where there are no answers", () => {
    expect(latencyAtShare([0, 0, 0], 0.5)).toBeNull();
  });

  it("is the lower bound of the last bucket where answers are beyond all bounds", () => {
    const counts = LATENCY_COUNTERS.map((_, index) => (index === LATENCY_COUNTERS.length - 1 ? 5 : 0));
    expect(latencyAtShare(counts, 0.99)).toBe(4_096);
  });

  it("lies in the same bucket as the true one", () => {
    const durations = fc.array(fc.double({ min: 0, max: 4_000, noNaN: true }), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(durations, fc.constantFrom(0.5, 0.95, 0.99, 1), (values, share) => {
        const counts = LATENCY_COUNTERS.map(() => 0);
        for (const value of values) {
          const bucket = latencyBucketOf(value);
          counts[bucket] = (counts[bucket] ?? 0) + 1;
        }
        const sorted = values.toSorted((left, right) => left - right);
        const exact = sorted[Math.ceil(values.length * share - 1e-9) - 1] ?? 0;
        const estimate = latencyAtShare(counts, share) ?? -1;
        expect(latencyBucketOf(estimate)).toBe(latencyBucketOf(exact));
      }),
      runs(),
    );
  });
});

it.each([
  ["isolate", "isolate"],
  ["kv;dur=1.2", "kv"],
  [" stale", "stale"],
  ["moon", null],
  ["", null],
])("reads the tier of Server-Timing %j as %s", (header, tier) => {
  expect(tierOf(header)).toBe(tier);
});
