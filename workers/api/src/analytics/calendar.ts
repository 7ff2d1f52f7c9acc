/**
 * Days, weeks, months of a time zone as instants. A "wall" time is what a clock on the wall shows, as if it were UTC,
 * in milliseconds: arithmetic on days and months is done there and turned into instants last.
 */

export const DAY_MS = 86_400_000;

export type Zone = {
  readonly name: string;
  /** Milliseconds that the wall is ahead of UTC at an instant. */
  readonly offsetMsAt: (instantMs: number) => number;
};

/** `null` for a name that is no IANA zone. */
export function openZone(name: string): Zone | null {
  const format = openFormat(name);
  if (format === null) {
    return null;
  }
  // Buckets ask for the same instants up to five times.
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

/** Month, day, year, hour, minute and second are taken from the text: parts cost twice as much. */
function readOffsetMs(format: Intl.DateTimeFormat, instantMs: number): number {
  const [month = 0, day = 0, year = 0, ...time] = (format.format(instantMs).match(/\d+/g) ?? []).map(Number);
  const wallMs = Date.UTC(year, month - 1, day, ...time);
  return wallMs - Math.floor(instantMs / 1_000) * 1_000;
}

function openFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return null;
  }
}

export function toWallMs(zone: Zone, instantMs: number): number {
  return instantMs + zone.offsetMsAt(instantMs);
}

/**
 * The first instant at which the wall shows this time. One that a clock change leaves out is taken as the clock went
 * before the change, which for a left-out midnight is the first moment of the day.
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

/** Weeks begin on Monday (ISO 8601); 1970-01-01 was a Thursday. */
export function floorToWeek(wallMs: number): number {
  const days = Math.floor(wallMs / DAY_MS);
  return (days - ((((days + 3) % 7) + 7) % 7)) * DAY_MS;
}

/** The first of the month, or of the group of months (3: quarters, 12: years) that it lies in. */
export function floorToMonths(wallMs: number, months: number): number {
  const date = new Date(wallMs);
  return Date.UTC(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / months) * months, 1);
}

/** For the first of a month. */
export function addMonths(wallMs: number, months: number): number {
  const date = new Date(wallMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}
