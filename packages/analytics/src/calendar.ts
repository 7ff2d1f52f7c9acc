/**
 * Days, weeks, months of a time zone as instants. A "wall" time is local time in milliseconds, as if it were UTC: arithmetic on
 * days and months uses wall times, which are converted to instants last. A polyfill of Temporal is 19 KB compressed in the API, for
 * some sixty lines here, and takes half as long again.
 */

export const DAY_MS = 86_400_000;

export type Zone = {
  readonly name: string;
  /** Offset of local time from UTC at an instant, milliseconds. */
  readonly offsetMsAt: (instantMs: number) => number;
};

/** `null` for a name that is not an IANA zone. */
export function openZone(name: string): Zone | null {
  const format = openFormat(name);
  if (format === null) {
    return null;
  }
  // Buckets need the same instants up to five times.
  const known = new Map<number, number>();
  return {
    name,
    offsetMsAt(instantMs) {
      const offsetMs = known.get(instantMs) ?? readOffsetMs(format, instantMs);
      known.set(instantMs, offsetMs);
      return offsetMs;
    },
  };
}

/** From a text that ends in `GMT+05:45`, or in `GMT`. */
function readOffsetMs(format: Intl.DateTimeFormat, instantMs: number): number {
  const [, sign, hours, minutes] = /GMT([+-])(\d+):(\d+)/.exec(format.format(instantMs)) ?? [];
  const offsetMinutes = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return (sign === "-" ? -offsetMinutes : offsetMinutes) * 60_000;
}

function openFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return null;
  }
}

export function toWallMs(zone: Zone, instantMs: number): number {
  return instantMs + zone.offsetMsAt(instantMs);
}

/**
 * The first instant with this local time. A time that a clock change skips is read with the offset from before the change, which
 * for a skipped midnight gives the first moment of the day.
 */
export function toInstantMs(zone: Zone, wallMs: number): number {
  const before = wallMs - zone.offsetMsAt(wallMs - DAY_MS);
  const after = wallMs - zone.offsetMsAt(wallMs + DAY_MS);
  const shown = [before, after].filter((instantMs) => toWallMs(zone, instantMs) === wallMs);
  return shown.length === 0 ? before : Math.min(...shown);
}

export function floorToDay(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS) * DAY_MS;
}

/** Weeks start on Monday (ISO 8601); 1970-01-01 was a Thursday. */
export function floorToWeek(wallMs: number): number {
  const days = Math.floor(wallMs / DAY_MS);
  return (days - ((((days + 3) % 7) + 7) % 7)) * DAY_MS;
}

/** The first day of the month, or of the group of months (3: quarter, 12: year), that contains it. */
export function floorToMonths(wallMs: number, months: number): number {
  const date = new Date(wallMs);
  return Date.UTC(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / months) * months, 1);
}

/** For the first of a month. */
export function addMonths(wallMs: number, months: number): number {
  const date = new Date(wallMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}
