import { describe, expect, it } from "vitest";
import { wholeWeeks } from "../../src/analytics/summary-weeks.ts";

const DAY_MS = 86_400_000;
/** Thursdays. */
const FIRST = Date.UTC(2026, 6, 2);
const SECOND = FIRST + 7 * DAY_MS;

describe("weeks that are entirely in a range", () => {
  it.each([
    ["begin and end with it", FIRST, SECOND + 7 * DAY_MS, [], [FIRST, SECOND]],
    ["begin with a Thursday", FIRST - DAY_MS, SECOND + DAY_MS, [], [FIRST]],
    ["are none if a day is missing", FIRST + DAY_MS, SECOND + 6 * DAY_MS, [], []],
    ["are none in a range of a day", FIRST + DAY_MS, FIRST + 2 * DAY_MS, [], []],
    [
      "are without those that a chart's bucket begins in",
      FIRST,
      SECOND + 7 * DAY_MS,
      [FIRST - DAY_MS, FIRST + DAY_MS],
      [SECOND],
    ],
    [
      "are with those that a chart's bucket begins with",
      FIRST,
      SECOND + 7 * DAY_MS,
      [FIRST, SECOND],
      [FIRST, SECOND],
    ],
  ])("%s", (_what, fromMs, toMs, boundariesMs, weeks) => {
    expect(wholeWeeks({ fromMs, toMs }, boundariesMs)).toEqual(weeks);
  });
});
