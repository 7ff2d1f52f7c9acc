import { describe, expect, it } from "vitest";

import { fingerprint } from "../src/fingerprint.ts";
import { createGhost } from "../src/ghost.ts";

describe("the ghost", () => {
  it("remembers the last fingerprints up to its capacity and forgets older ones", () => {
    const ghost = createGhost(3);
    for (const value of [1, 2, 3, 4]) {
      ghost.add(value);
    }
    expect(ghost.count()).toBe(3);
    expect([1, 2, 3, 4].map((value) => ghost.take(value, 3))).toEqual([false, true, true, true]);
  });

  it("looks only at the window that is asked for", () => {
    const ghost = createGhost(8);
    for (const value of [1, 2, 3]) {
      ghost.add(value);
    }
    expect(ghost.take(2, 1)).toBe(false);
    expect(ghost.take(2, 2)).toBe(true);
    expect(ghost.take(3, 0)).toBe(false);
  });

  it("forgets a fingerprint once it was taken", () => {
    const ghost = createGhost(4);
    ghost.add(7);
    expect([ghost.take(7, 4), ghost.take(7, 4), ghost.count()]).toEqual([true, false, 0]);
  });

  it("counts a fingerprint that is added again once, as the newest", () => {
    const ghost = createGhost(4);
    for (const value of [5, 6, 5]) {
      ghost.add(value);
    }
    expect(ghost.count()).toBe(2);
    expect([ghost.take(5, 1), ghost.take(5, 4)]).toEqual([true, false]);
  });

  it("keeps fingerprints of one bucket apart", () => {
    const ghost = createGhost(4);
    for (const value of [4, 8, 12, 16]) {
      ghost.add(value);
    }
    expect([8, 16, 4, 12, 20].map((value) => ghost.take(value, 4))).toEqual([true, true, true, true, false]);
  });

  it("works with a single place", () => {
    const ghost = createGhost(1);
    ghost.add(1);
    ghost.add(2);
    expect([ghost.take(1, 1), ghost.take(2, 1), ghost.count()]).toEqual([false, true, 0]);
  });
});

describe("the fingerprint", () => {
  it.each(["", "a", "go.example/launch", "go.example/ünï🎉"])(
    "of %j fits 30 bits and is repeatable",
    (key) => {
      const value = fingerprint(key);
      expect(value).toBe(fingerprint(key));
      expect(value >= 0 && value < 2 ** 30 && Number.isInteger(value)).toBe(true);
    },
  );

  it("is spread over 100,000 similar keys", () => {
    const seen = new Set<number>();
    const buckets = new Set<number>();
    for (let index = 0; index < 100_000; index += 1) {
      const value = fingerprint(`go.example/${index}`);
      seen.add(value);
      buckets.add(value & 0xff_ff);
    }
    // Random 30-bit values would collide 4 or 5 times, and leave about a fifth of 65,536 buckets empty.
    expect(seen.size).toBeGreaterThan(99_980);
    expect(buckets.size).toBeGreaterThan(50_000);
  });
});
