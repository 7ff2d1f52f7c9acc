import { describe, expect, it } from "vitest";
import { toRunSeries } from "../run/run-series.ts";

const START_MS = 1_000_000;

function aSample(second: number, counts: Readonly<Record<string, number>>) {
  return { atMs: START_MS + second * 1_000, counts };
}

function aFlow(second: number, inserted: number) {
  return { atMs: START_MS + second * 1_000, inserted, delayP50Ms: 100, delayP95Ms: 200, delayMaxMs: 300 };
}

describe("the course of a run", () => {
  it("begins with the last reading before the first request", () => {
    const samples = [
      aSample(0, {}),
      aSample(1, {}),
      aSample(2, { http_reqs: 50 }),
      aSample(3, { http_reqs: 150 }),
    ];
    const { requestsPerSecond, lengthSeconds } = toRunSeries(samples, [], []);
    expect(requestsPerSecond).toEqual([
      { atSeconds: 1, value: 50 },
      { atSeconds: 2, value: 100 },
    ]);
    expect(lengthSeconds).toBe(2);
  });

  it("has rates, not counts, where a reading came late", () => {
    const samples = [aSample(0, {}), aSample(2, { http_reqs: 100, redirects: 80 })];
    const { requestsPerSecond, redirectsPerSecond } = toRunSeries(samples, [], []);
    expect([requestsPerSecond[0]?.value, redirectsPerSecond[0]?.value]).toEqual([50, 40]);
  });

  it("has no answer time for a second without answers", () => {
    const samples = [
      aSample(0, {}),
      aSample(1, { http_reqs: 1, latency_00: 1 }),
      aSample(2, { http_reqs: 1, latency_00: 1 }),
    ];
    expect(toRunSeries(samples, [], []).p99Ms.map(({ value }) => value)).toEqual([0.495, null]);
  });

  it("goes on until the last click is a row, and shows a second without inserts as none", () => {
    const samples = [aSample(0, {}), aSample(1, { http_reqs: 30, redirects: 30 })];
    const { insertsPerSecond, lengthSeconds } = toRunSeries(samples, [aFlow(1, 10), aFlow(4, 20)], []);
    expect(insertsPerSecond.map(({ value }) => value)).toEqual([10, 0, 0, 20]);
    expect(lengthSeconds).toBe(5);
  });

  it("counts as waiting what was redirected and is no row yet", () => {
    const samples = [
      aSample(0, {}),
      aSample(1, { http_reqs: 30, redirects: 30 }),
      aSample(2, { http_reqs: 50, redirects: 50 }),
      aSample(3, { http_reqs: 50, redirects: 50 }),
    ];
    const { clicksWaiting } = toRunSeries(samples, [aFlow(1, 30), aFlow(2, 20)], []);
    expect(clicksWaiting.map(({ value }) => value)).toEqual([0, 30, 20, 0]);
  });

  it("shares the answers among their tiers, over the last seconds together", () => {
    const samples = [
      aSample(0, {}),
      aSample(1, { http_reqs: 1, tier_kv: 1 }),
      aSample(2, { http_reqs: 4, tier_kv: 1, tier_isolate: 3 }),
    ];
    const { tierShares } = toRunSeries(samples, [], []);
    expect(tierShares.kv.map(({ value }) => value)).toEqual([1, 0.25]);
    expect(tierShares.isolate.map(({ value }) => value)).toEqual([0, 0.75]);
  });

  it("is empty, not broken, where k6 never answered", () => {
    expect(toRunSeries([], [], [])).toMatchObject({ lengthSeconds: 1, requestsPerSecond: [] });
  });
});
