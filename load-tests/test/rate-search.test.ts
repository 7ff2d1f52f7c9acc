import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { highestHeld, nextRate, type Probe, stepDown } from "../run/rate-search.ts";
import { runs } from "../../packages/core/test/runs.ts";

const BOUNDS = { from: 1_000, most: 100_000, tolerance: 0.05 };

/** Searches against something that holds up to `limit` requests a second. */
function searchBelow(limit: number, bounds = BOUNDS): readonly Probe[] {
  const probes: Probe[] = [];
  for (let rate = nextRate(probes, bounds); rate !== null; rate = nextRate(probes, bounds)) {
    probes.push({ rate, isHeld: rate <= limit });
  }
  return probes;
}

describe("the search for the highest rate", () => {
  it("doubles until a rate breaks, then halves the gap", () => {
    expect(searchBelow(3_100).map(({ rate }) => rate)).toEqual([
      1_000, 2_000, 4_000, 3_000, 3_500, 3_250, 3_150,
    ]);
    expect(highestHeld(searchBelow(3_100))).toBe(3_000);
  });

  it("goes below its first rate where that breaks", () => {
    expect(highestHeld(searchBelow(320))).toBe(300);
  });

  it("finds none where nothing holds", () => {
    expect(highestHeld(searchBelow(0))).toBeNull();
  });

  it("tries nothing above the most it may", () => {
    const probes = searchBelow(Infinity, { ...BOUNDS, most: 5_000 });
    expect(probes.map(({ rate }) => rate)).toEqual([1_000, 2_000, 4_000, 5_000]);
  });

  it("takes a rate that held above one that broke for luck", () => {
    const probes = [
      { rate: 1_000, isHeld: true },
      { rate: 2_000, isHeld: false },
      { rate: 4_000, isHeld: true },
    ];
    expect(highestHeld(probes)).toBe(1_000);
  });

  it("ends within a dozen runs, below the limit by no more than its tolerance and one step", () => {
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 40_000 }), (limit) => {
        const probes = searchBelow(limit);
        const found = highestHeld(probes) ?? 0;
        expect(probes.length).toBeLessThanOrEqual(12);
        expect(found).toBeLessThanOrEqual(limit);
        expect(limit - found).toBeLessThan(found * BOUNDS.tolerance + 100);
      }),
      runs(),
    );
  });

  it("steps down by a tenth, and never to nothing", () => {
    expect([stepDown(4_000), stepDown(3_050), stepDown(60)]).toEqual([3_600, 2_700, 50]);
  });
});
