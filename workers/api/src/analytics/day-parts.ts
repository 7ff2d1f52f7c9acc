/**
 * The parts of a range whose unique visitors the summaries can tell (migrations/0016): inside one UTC day and one bucket,
 * cut on quarters of an hour, and beginning or ending at one of the day's midnights. Pure.
 */
import type { InstantRange } from "./range.ts";

export type DayPart = {
  /** As `width_bucket` numbers them: from 1. */
  readonly bucket: number;
  /** Epoch milliseconds of the UTC midnight that the day begins with. */
  readonly dayMs: number;
  /** Quarters of an hour of the day: from inclusive, to exclusive, 0 to 96. One of them is an end of the day. */
  readonly fromQuarter: number;
  readonly toQuarter: number;
};

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;

/** @param startsMs where the buckets begin, ascending; the first at or before the range. */
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

function floorToDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}
