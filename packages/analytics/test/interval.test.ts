/** What clock changes do to buckets. Whether clicks fall into them is tested with clicks, over HTTP. */
import { expect, it } from "vitest";
import { bucketStarts, type Interval } from "../src/interval.ts";

it.each<[string, string, Interval, string, readonly string[]]>([
  ["skips midnight", "America/Sao_Paulo", "day", "2018-11", ["03T03:00", "04T03:00", "05T02:00"]],
  ["repeats midnight", "America/Havana", "day", "2026-11", ["01T04:00", "02T05:00", "03T05:00"]],
  ["skips a day", "Pacific/Apia", "day", "2011-12", ["29T10:00", "30T10:00", "31T10:00"]],
  ["repeats half an hour", "Australia/Lord_Howe", "hour", "2026-04", ["04T14:00", "04T15:00", "04T15:30"]],
  ["is 5:45 hours ahead", "Asia/Kathmandu", "day", "2026-06", ["01T18:15", "02T18:15", "03T18:15"]],
  ["repeats an hour", "Europe/Berlin", "day", "2026-10", ["23T22:00", "24T22:00", "25T23:00"]],
  ["skips half an hour", "Australia/Lord_Howe", "hour", "2026-10", ["03T14:30", "03T15:30", "03T16:00"]],
])("a bucket begins once where a clock %s: %s", (_what, timeZone, interval, month, starts) => {
  const expected = starts.map((start) => Date.parse(`${month}-${start}Z`));
  const range = { fromMs: (expected[0] ?? 0) + 60_000, toMs: (expected[2] ?? 0) + 60_000 };
  expect(bucketStarts(range, interval, timeZone)).toEqual(expected);
});
