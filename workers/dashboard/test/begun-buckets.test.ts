import { expect, it } from "vitest";
import { begunBuckets } from "../app/analytics/begun-buckets.ts";

const STARTS = ["2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z"];
const END = "2026-11-24T00:00:00Z";

it.each([
  ["2026-11-25T12:00:00Z", 3, false],
  ["2026-11-24T00:00:00Z", 3, false],
  ["2026-11-23T12:00:00Z", 3, true],
  ["2026-11-23T00:00:00Z", 3, true],
  ["2026-11-21T00:00:01Z", 1, true],
  ["2026-11-20T00:00:00Z", 0, false],
])("at %s %i days have begun, and it is %s that the last one can grow", (now, count, isOpen) => {
  expect(begunBuckets(STARTS, END, Date.parse(now))).toEqual({ count, isOpen });
});
