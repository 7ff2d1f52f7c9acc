/** Refuses a chart with too many points, and says which interval to use. */
import { ProblemError } from "../http/problem.ts";
import { chooseInterval, type Interval, isFineEnough, MAX_POINTS } from "@hopline/analytics/interval";
import type { InstantRange } from "@hopline/analytics/range";

/** Throws `ProblemError` query_too_wide. */
export function requireFewPoints(range: InstantRange, interval: Interval): void {
  if (!isFineEnough(range, interval)) {
    const message = `gives more than ${MAX_POINTS} points: use ${chooseInterval(range)} or longer, or a shorter range`;
    throw new ProblemError("query_too_wide", [{ path: "interval", message }]);
  }
}
