/** The buckets of a time series: widths, the default width, and starts. Pure. */
import {
  addMonths,
  DAY_MS,
  floorToDay,
  floorToMonths,
  floorToWeek,
  toInstantMs,
  toWallMs,
  type Zone,
} from "./calendar.ts";
import type { InstantRange } from "./range.ts";

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

const MONTHS: { readonly [Name in Interval]?: number } = { month: 1, quarter: 3, year: 12 };

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
export function bucketStarts(range: InstantRange, interval: Interval, zone: Zone): readonly number[] {
  const starts: number[] = [];
  const { first, next } =
    interval === "15m" || interval === "hour" ? clockStarts(interval, zone) : dayStarts(interval, zone);
  for (let startMs = first(range.fromMs); startMs < range.toMs; startMs = next(startMs)) {
    starts.push(startMs);
  }
  return starts;
}

type Starts = {
  /** Of the bucket that contains an instant. */
  readonly first: (atMs: number) => number;
  readonly next: (startMs: number) => number;
};

/** By local time: a clock change by half an hour leaves a bucket that begins at half past. */
function clockStarts(interval: "15m" | "hour", zone: Zone): Starts {
  const widthMs = NOMINAL_MS[interval];
  const passedMs = (atMs: number) => ((toWallMs(zone, atMs) % widthMs) + widthMs) % widthMs;
  return {
    first: (atMs) => atMs - passedMs(atMs),
    next: (startMs) => startMs + widthMs - passedMs(startMs),
  };
}

function dayStarts(interval: Exclude<Interval, "15m" | "hour">, zone: Zone): Starts {
  const months = MONTHS[interval];
  const floor = (wallMs: number) =>
    months !== undefined
      ? floorToMonths(wallMs, months)
      : interval === "week"
        ? floorToWeek(wallMs)
        : floorToDay(wallMs);
  const after = (wallMs: number) =>
    months === undefined ? wallMs + NOMINAL_MS[interval] : addMonths(wallMs, months);
  return {
    first: (atMs) => toInstantMs(zone, floor(toWallMs(zone, atMs))),
    next: (startMs) => toInstantMs(zone, after(floor(toWallMs(zone, startMs)))),
  };
}
