/** The buckets of a time series: widths, the default width, and starts. Pure. */
import { DAY_MS } from "./calendar.ts";
import type { InstantRange } from "./range.ts";
import { FIRST_DAY, startMs, zonedAt } from "./time-zone.ts";

const HOUR_MS = 3_600_000;

/** As long as they are at least. */
const NOMINAL_MS = {
  "15m": HOUR_MS / 4,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
  quarter: 90 * DAY_MS,
  year: 365 * DAY_MS,
} as const;

export type Interval = keyof typeof NOMINAL_MS;
export const INTERVALS = Object.keys(NOMINAL_MS) as [Interval, ...Interval[]];

/** More points than a chart has pixels; also limits the cost of a request. */
export const MAX_POINTS = 2_000;

/** The longest range that an interval is chosen for: it gives ten to a hundred points. */
const CHOSEN_UP_TO_MS: readonly (readonly [Interval, number])[] = [
  ["15m", 12 * HOUR_MS],
  ["hour", 4 * DAY_MS],
  ["day", 100 * DAY_MS],
  ["week", 800 * DAY_MS],
  ["month", 3_660 * DAY_MS],
];

export function chooseInterval({ fromMs, toMs }: InstantRange): Interval {
  return CHOSEN_UP_TO_MS.find(([, longestMs]) => toMs - fromMs <= longestMs)?.[0] ?? "year";
}

/** Whether the range has at most MAX_POINTS buckets of this width. */
export function isFineEnough({ fromMs, toMs }: InstantRange, interval: Interval): boolean {
  return (toMs - fromMs) / NOMINAL_MS[interval] <= MAX_POINTS - 2;
}

/**
 * The starts of the buckets, ascending: the first at or before the range, the others inside it. Every instant of the range is in
 * exactly one bucket, even if a clock change makes it longer or shorter.
 */
export function bucketStarts(range: InstantRange, interval: Interval, timeZone: string): readonly number[] {
  return interval === "15m" || interval === "hour"
    ? clockStarts(range, NOMINAL_MS[interval], timeZone)
    : dayStarts(range, interval, timeZone);
}

/** By local time: a clock change by half an hour leaves a bucket that begins at half past. */
function clockStarts({ fromMs, toMs }: InstantRange, widthMs: number, timeZone: string): readonly number[] {
  const passedMs = (atMs: number) => (atMs + zonedAt(atMs, timeZone).offsetNanoseconds / 1e6) % widthMs;
  const starts: number[] = [];
  for (let atMs = fromMs - passedMs(fromMs); atMs < toMs; atMs += widthMs - passedMs(atMs)) {
    starts.push(atMs);
  }
  return starts;
}

const WIDTHS = {
  day: { days: 1 },
  week: { weeks: 1 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { years: 1 },
} as const;

function dayStarts(
  { fromMs, toMs }: InstantRange,
  interval: keyof typeof WIDTHS,
  timeZone: string,
): readonly number[] {
  // Without repetition: Samoa left out a day when it crossed the date line.
  const starts = new Set<number>();
  let day = FIRST_DAY[interval](zonedAt(fromMs, timeZone).toPlainDate());
  for (let atMs = startMs(day, timeZone); atMs < toMs; atMs = startMs(day, timeZone)) {
    starts.add(atMs);
    day = day.add(WIDTHS[interval]);
  }
  return [...starts];
}
