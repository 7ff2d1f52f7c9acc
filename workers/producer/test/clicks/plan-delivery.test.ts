import { describe, expect, it } from "vitest";
import {
  IN_FLIGHT_OVERFLOW,
  IN_FLIGHT_UNDER_PRESSURE,
  planDelivery,
  SEND_TIMEOUT_MS,
  SPILL_TIMEOUT_MS,
} from "../../src/clicks/plan-delivery.ts";
import { createSeededRandom } from "./seeded-random.ts";

const MAX_REQUEST_AFTERLIFE_MS = 30_000;
const almostOne = (): number => 0.999_999_999;

function plan(shardCount: number, inFlightCount = 1, random = createSeededRandom(7)) {
  return planDelivery(shardCount, inFlightCount, random);
}

describe("the plan of a delivery", () => {
  it.each([
    [0, 0],
    [1, 4],
    [2, 4],
    [4, 4],
    [24, 4],
  ])("with %i shards tries %i times", (shardCount, attempts) => {
    expect(plan(shardCount).sends).toHaveLength(attempts);
    expect(plan(shardCount).spills).toHaveLength(2);
  });

  it.each([1, 2, 3, 4, 9, 24])("with %i shards tries as many different ones as it can", (shardCount) => {
    for (let seed = 0; seed < 200; seed += 1) {
      const { sends } = plan(shardCount, 1, createSeededRandom(seed));
      const tried = sends.map(({ shardIndex }) => shardIndex);
      expect(new Set(tried).size).toBe(Math.min(shardCount, 4));
      expect(tried.every((index) => index >= 0 && index < shardCount)).toBe(true);
    }
  });

  it("starts at once and waits longer each time", () => {
    const waits = plan(4).sends.map(({ afterMs }) => afterMs);
    expect(waits[0]).toBe(0);
    expect(waits).toEqual(waits.toSorted((left, right) => left - right));
    expect(waits[1]).toBeGreaterThan(0);
  });

  it("ends, linger included, before the request does, even when everything times out", () => {
    const { sends, spills } = plan(4, 1, almostOne);
    const sendMs = sends.reduce((sum, { afterMs }) => sum + afterMs + SEND_TIMEOUT_MS, 0);
    const spillMs = spills.reduce((sum, { afterMs }) => sum + afterMs + SPILL_TIMEOUT_MS, 0);
    expect(5_000 + sendMs + spillMs).toBeLessThanOrEqual(MAX_REQUEST_AFTERLIFE_MS);
  });

  it("is shorter the more the isolate already holds, so that its memory has a bound", () => {
    const sizes = [
      IN_FLIGHT_UNDER_PRESSURE,
      IN_FLIGHT_UNDER_PRESSURE + 1,
      IN_FLIGHT_OVERFLOW,
      IN_FLIGHT_OVERFLOW + 1,
    ];
    const attempts = sizes.map((inFlightCount) => {
      const { sends, spills } = plan(4, inFlightCount);
      return [sends.length, spills.length];
    });
    expect(attempts).toEqual([
      [4, 2],
      [1, 1],
      [1, 1],
      [0, 0],
    ]);
  });
});
