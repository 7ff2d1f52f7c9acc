/** The buckets of a chart; refuses one with too many points, and says which interval to use. */
import { ProblemError } from "../http/problem.ts";
import {
  bucketStarts,
  chooseInterval,
  type Interval,
  isFineEnough,
  MAX_POINTS,
} from "@hopline/analytics/interval";
import type { TimeRange } from "@hopline/analytics/range";

/** @param wanted chosen by the length of the range if left out. Throws `ProblemError` query_too_wide. */
export function chooseBuckets(
  range: TimeRange,
  wanted: Interval | undefined,
): { readonly interval: Interval; readonly startsMs: readonly number[] } {
  const interval = wanted ?? chooseInterval(range);
  if (!isFineEnough(range, interval)) {
    const message = `gives more than ${MAX_POINTS} points: use ${chooseInterval(range)} or longer, or a shorter range`;
    throw new ProblemError("query_too_wide", [{ path: "interval", message }]);
  }
  return { interval, startsMs: bucketStarts(range, interval, range.zone) };
}
