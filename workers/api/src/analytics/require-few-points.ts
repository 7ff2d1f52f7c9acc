/** Refuses a chart with more points than anybody draws, and says which interval would do. */
import { ProblemError } from "../http/problem.ts";
import { chooseInterval, type Interval, isFineEnough, MAX_POINTS } from "./interval.ts";
import type { InstantRange } from "./range.ts";

/** Throws `ProblemError` query_too_wide. */
export function requireFewPoints(range: InstantRange, interval: Interval): void {
  if (!isFineEnough(range, interval)) {
    const message = `More than ${MAX_POINTS} points: ask for ${chooseInterval(range)} or longer, or for a shorter range.`;
    throw new ProblemError("query_too_wide", [{ path: "interval", message }]);
  }
}
