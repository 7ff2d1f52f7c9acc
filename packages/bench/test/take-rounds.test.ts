import { describe, expect, it } from "vitest";

import { exactly, type Round, takeRounds } from "../src/redirect/run-rounds.ts";

/** Rounds that can be told apart, and how many were run. */
function aCourse() {
  const all: Round[] = [];
  return {
    all,
    run: async () => {
      const round: Round = { constant: [], slicesByTarget: new Map([[`round ${all.length}`, []]]) };
      all.push(round);
      return round;
    },
  };
}

describe("the rounds of a measurement", () => {
  it("are as many as were asked for", async () => {
    const { run, all } = aCourse();
    expect(await takeRounds(run, exactly(3))).toEqual(all);
    expect(all).toHaveLength(3);
  });

  it("end after the least number where that is enough", async () => {
    const { run } = aCourse();
    expect(await takeRounds(run, { min: 6, max: 18, isEnough: () => true })).toHaveLength(6);
  });

  it("go on until it is enough, and all of them count", async () => {
    const { run, all } = aCourse();
    const rounds = await takeRounds(run, { min: 6, max: 18, isEnough: ({ length }) => length >= 9 });
    expect(rounds).toEqual(all);
    expect(rounds).toHaveLength(9);
  });

  it("end at the greatest number, enough or not", async () => {
    const { run } = aCourse();
    expect(await takeRounds(run, { min: 6, max: 18, isEnough: () => false })).toHaveLength(18);
  });
});
