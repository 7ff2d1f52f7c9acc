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

export const INTERVALS = ["15m", "hour", "day", "week", "month", "quarter", "year"] as const;
export type Interval = (typeof INTERVALS)[number];

/** More points than a chart has pixels; also limits the cost of a request. */
export const MAX_POINTS = 2_000;

const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 3_600_000;

const NOMINAL_MS: Readonly<Record<Interval, number>> = {
  "15m": QUARTER_HOUR_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
  quarter: 90 * DAY_MS,
  year: 365 * DAY_MS,
};

/** A width that gives ten to a hundred points. */
export function chooseInterval({ fromMs, toMs }: InstantRange): Interval {
  const lengthMs = toMs - fromMs;
  if (lengthMs <= 12 * HOUR_MS) {
    return "15m";
  }
  if (lengthMs <= 4 * DAY_MS) {
    return "hour";
  }
  if (lengthMs <= 100 * DAY_MS) {
    return "day";
  }
  if (lengthMs <= 800 * DAY_MS) {
    return "week";
  }
  return lengthMs <= 3_660 * DAY_MS ? "month" : "year";
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
  for (
    let startMs = firstStart(range.fromMs, interval, zone);
    startMs < range.toMs;
    startMs = nextStart(startMs, interval, zone)
  ) {
    starts.push(startMs);
  }
  return starts;
}

function firstStart(fromMs: number, interval: Interval, zone: Zone): number {
  const wallMs = toWallMs(zone, fromMs);
  if (interval === "15m") {
    return Math.floor(fromMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  }
  return interval === "hour"
    ? fromMs - modulo(wallMs, HOUR_MS)
    : toInstantMs(zone, floorWall(wallMs, interval));
}

function nextStart(startMs: number, interval: Interval, zone: Zone): number {
  if (interval === "15m") {
    return startMs + QUARTER_HOUR_MS;
  }
  const wallMs = toWallMs(zone, startMs);
  return interval === "hour"
    ? // Not always an hour: a clock change by half an hour leaves a bucket that begins at half past.
      startMs + HOUR_MS - modulo(wallMs, HOUR_MS)
    : toInstantMs(zone, nextWall(floorWall(wallMs, interval), interval));
}

type CalendarInterval = Exclude<Interval, "15m" | "hour">;

function floorWall(wallMs: number, interval: CalendarInterval): number {
  switch (interval) {
    case "day":
      return floorToDay(wallMs);
    case "week":
      return floorToWeek(wallMs);
    case "month":
      return floorToMonths(wallMs, 1);
    case "quarter":
      return floorToMonths(wallMs, 3);
    case "year":
      return floorToMonths(wallMs, 12);
  }
}

function nextWall(wallMs: number, interval: CalendarInterval): number {
  switch (interval) {
    case "day":
      return wallMs + DAY_MS;
    case "week":
      return wallMs + 7 * DAY_MS;
    case "month":
      return addMonths(wallMs, 1);
    case "quarter":
      return addMonths(wallMs, 3);
    case "year":
      return addMonths(wallMs, 12);
  }
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
