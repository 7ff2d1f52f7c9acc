import { describe, expect, it } from "vitest";

import { Ghost } from "../src/ghost.ts";

describe("the ghost", () => {
  it("remembers the last keys up to its capacity and forgets older ones", () => {
    const ghost = new Ghost(3);
    for (const value of ["1", "2", "3", "4"]) {
      ghost.add(value);
    }
    expect(ghost.size).toBe(3);
    expect(["1", "2", "3", "4"].map((value) => ghost.take(value, 3))).toEqual([false, true, true, true]);
  });

  it("looks only at the window that is asked for", () => {
    const ghost = new Ghost(8);
    for (const value of ["1", "2", "3"]) {
      ghost.add(value);
    }
    expect(ghost.take("2", 1)).toBe(false);
    expect(ghost.take("2", 2)).toBe(true);
    expect(ghost.take("3", 0)).toBe(false);
  });

  it("forgets a key once it was taken", () => {
    const ghost = new Ghost(4);
    ghost.add("7");
    expect([ghost.take("7", 4), ghost.take("7", 4), ghost.size]).toEqual([true, false, 0]);
  });

  it("counts a key that is added again once, as the newest", () => {
    const ghost = new Ghost(4);
    for (const value of ["5", "6", "5"]) {
      ghost.add(value);
    }
    expect(ghost.size).toBe(2);
    expect([ghost.take("5", 1), ghost.take("5", 4)]).toEqual([true, false]);
  });

  it("forgets the oldest that are left, after any were taken or added again", () => {
    const ghost = new Ghost(3);
    for (const value of ["1", "2", "3", "1"]) {
      ghost.add(value);
    }
    expect(ghost.take("2", 4)).toBe(true);
    for (const value of ["4", "5"]) {
      ghost.add(value);
    }
    expect(["3", "1", "4", "5"].map((value) => ghost.take(value, 9))).toEqual([false, true, true, true]);
  });

  it("works with a single place", () => {
    const ghost = new Ghost(1);
    ghost.add("1");
    ghost.add("2");
    expect([ghost.take("1", 1), ghost.take("2", 1), ghost.size]).toEqual([false, true, 0]);
  });
});

it("tells 100,000 similar keys apart, but for a few that share a fingerprint", () => {
  const ghost = new Ghost(100_000);
  for (let index = 0; index < 100_000; index += 1) {
    ghost.add(`go.example/${index}`);
  }
  // Random 30-bit values would collide 4 or 5 times.
  expect(ghost.size).toBeGreaterThan(99_980);
  expect(["", "a", "go.example/ünï🎉"].map((key) => ghost.take(key, 100_000))).toEqual([false, false, false]);
});
