/**
 * The parts of a range whose unique visitors are counted (migrations/0023): within one UTC day and one bucket, on
 * quarters of an hour, and starting or ending at one of the day's midnights. Pure.
 */
import { DAY_MS, floorToDay } from "../calendar.ts";
import type { InstantRange } from "../range.ts";
import { QUARTER_MS } from "./plan.ts";

export type DayPart = {
  /** From 1, like `width_bucket`. */
  readonly bucket: number;
  /** The UTC midnight at which the day starts, epoch milliseconds. */
  readonly dayMs: number;
  /** Quarters of an hour of the day, 0 to 96: from inclusive, to exclusive. One of them is 0 or 96. */
  readonly fromQuarter: number;
  readonly toQuarter: number;
};

/** @param startsMs the starts of the buckets, ascending; the first is at or before the range. */
export function planDayParts(range: InstantRange, startsMs: readonly number[]): readonly DayPart[] {
  return startsMs.flatMap((startMs, index) => {
    const fromMs = Math.max(startMs, range.fromMs);
    const toMs = Math.min(startsMs[index + 1] ?? range.toMs, range.toMs);
    return cutAtMidnights({ fromMs, toMs })
      .filter(isTold)
      .map((part) => toDayPart(part, index + 1));
  });
}

function cutAtMidnights({ fromMs, toMs }: InstantRange): readonly InstantRange[] {
  const parts: InstantRange[] = [];
  for (let atMs = fromMs; atMs < toMs;) {
    const endMs = Math.min(floorToDay(atMs) + DAY_MS, toMs);
    parts.push({ fromMs: atMs, toMs: endMs });
    atMs = endMs;
  }
  return parts;
}

function isTold({ fromMs, toMs }: InstantRange): boolean {
  const isOnQuarters = fromMs % QUARTER_MS === 0 && toMs % QUARTER_MS === 0;
  return isOnQuarters && (fromMs % DAY_MS === 0 || toMs % DAY_MS === 0);
}

function toDayPart({ fromMs, toMs }: InstantRange, bucket: number): DayPart {
  const dayMs = floorToDay(fromMs);
  return {
    bucket,
    dayMs,
    fromQuarter: (fromMs - dayMs) / QUARTER_MS,
    toQuarter: (toMs - dayMs) / QUARTER_MS,
  };
}
