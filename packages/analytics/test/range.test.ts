/** Which period a range is compared with. */
import { expect, it } from "vitest";
import { type Period, periodBefore, rangeOfPeriod } from "../src/range.ts";

it.each<[string, Period, string, string, string, string]>([
  ["thirty days that are a month", "last30Days", "UTC", "2026-11-30T10:07", "2026-10-02", "2026-10-31T10:00"],
  ["the running month", "thisMonth", "UTC", "2026-03-31T10:00", "2026-02-01", "2026-03-01T00:00"],
  ["a day", "today", "Asia/Kathmandu", "2026-06-02T03:08", "2026-05-31T18:15", "2026-06-01T03:00"],
  [
    "the day of a clock change",
    "today",
    "Europe/Zurich",
    "2026-10-25T11:20",
    "2026-10-23T22:00",
    "2026-10-24T10:15",
  ],
  ["the day after one", "today", "Europe/Zurich", "2026-03-30T10:00", "2026-03-28T23:00", "2026-03-29T10:00"],
  ["a day's first minutes", "today", "UTC", "2026-06-02T00:03", "2026-06-01", "2026-06-01T00:15"],
])(
  "%s is compared up to the same local time, on a quarter of an hour",
  (_what, period, timeZone, ...texts) => {
    const [nowMs = 0, fromMs, toMs] = texts.map((text) => Date.parse(text.length === 10 ? text : `${text}Z`));
    expect(periodBefore(rangeOfPeriod(period, { timeZone, nowMs }), nowMs)).toMatchObject({ fromMs, toMs });
  },
);

it.each<[Period, string, string]>([
  ["yesterday", "2026-10-25", "2026-10-26"],
  ["lastMonth", "2026-08-01", "2026-09-01"],
])("of %s the whole period before counts", (period, from, to) => {
  const now = { timeZone: "UTC", nowMs: Date.parse("2026-10-27T10:07Z") };
  const [fromMs, toMs] = [from, to].map((text) => Date.parse(text));
  expect(periodBefore(rangeOfPeriod(period, now), now.nowMs)).toMatchObject({ fromMs, toMs });
});
