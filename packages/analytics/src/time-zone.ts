/** Days of time zones, as Temporal knows them. Neither workerd nor Node 24 has it. Pure. */
import { Temporal } from "temporal-polyfill";

/** No zone's offset has had a smaller part since 2000, and no bucket may start between two. Nanoseconds. */
const QUARTER_NS = 900e9;

/** An IANA zone, or an offset in quarters of an hour, such as `+05:45`. */
export function isTimeZone(name: string): boolean {
  try {
    // Temporal would also take the zone of an instant: `2026-11-21T00:00Z`.
    return /^\D/.test(name) && zonedAt(Date.UTC(2000), name).offsetNanoseconds % QUARTER_NS === 0;
  } catch {
    return false;
  }
}

export function zonedAt(atMs: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone);
}

export type Day = Temporal.PlainDate;

/** The first moment of a day, also where a clock change skips midnight or repeats it. Epoch milliseconds. */
export function startMs(day: Day, timeZone: string): number {
  return day.toZonedDateTime(timeZone).epochMilliseconds;
}

/** The day itself, or the first one of its week (a Monday), month, quarter or year. */
export const FIRST_DAY = {
  day: (day: Day): Day => day,
  week: (day: Day): Day => day.subtract({ days: day.dayOfWeek - 1 }),
  month: (day: Day): Day => day.with({ day: 1 }),
  quarter: (day: Day): Day => day.with({ day: 1, month: day.month - ((day.month - 1) % 3) }),
  year: (day: Day): Day => day.with({ day: 1, month: 1 }),
} as const;
