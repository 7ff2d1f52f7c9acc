/**
 * Wall-clock time of an instant in an IANA zone, cheaply. An Intl.DateTimeFormat costs about 100 µs to make and 1 µs to
 * use (measured, Node 24), so what is kept is the zone's UTC offset, and only for the quarter hour it was asked in:
 * since 2023 every offset change of every zone falls on a quarter hour of UTC (checked for 1990-2036 with tzdata 2026c;
 * the last exception was Antarctica/Casey in 2022). Older instants near a change may be off by that change.
 */

const QUARTER_HOUR_MS = 15 * 60_000;
const MINUTES_PER_DAY = 1_440;
const MINUTES_PER_WEEK: number = 7 * MINUTES_PER_DAY;
/** The epoch was a Thursday, the fourth day of an ISO week. */
const EPOCH_MINUTE_OF_WEEK: number = 3 * MINUTES_PER_DAY;
/** There are about 420 zones; a table of this size never empties itself in practice and is never large. */
const MAX_CACHED_ZONES = 512;

/**
 * Minutes since Monday 00:00 on the clocks of `zone`, 0 to 10,079, rounded down. `null` when this runtime does not know
 * the zone (its time zone data may be older than the API's): the caller's rule then does not match.
 */
export type LocalTime = (zone: string, atMs: number) => number | null;

/** Makes a `LocalTime` with its own bounded table of offsets; one per isolate is meant to live as long as it. */
export function createLocalTime(): LocalTime {
  const offsets = new Map<string, { readonly quarter: number; readonly offsetMs: number | null }>();

  function offsetAt(zone: string, atMs: number): number | null {
    const quarter = Math.floor(atMs / QUARTER_HOUR_MS);
    const cached = offsets.get(zone);
    if (cached?.quarter === quarter) {
      return cached.offsetMs;
    }
    if (offsets.size >= MAX_CACHED_ZONES) {
      offsets.clear();
    }
    const offsetMs = readOffsetMs(zone, atMs);
    offsets.set(zone, { quarter, offsetMs });
    return offsetMs;
  }

  return (zone, atMs) => {
    const offsetMs = offsetAt(zone, atMs);
    if (offsetMs === null) {
      return null;
    }
    const minutes = Math.floor((atMs + offsetMs) / 60_000) + EPOCH_MINUTE_OF_WEEK;
    return ((minutes % MINUTES_PER_WEEK) + MINUTES_PER_WEEK) % MINUTES_PER_WEEK;
  };
}

/** True when this runtime knows `zone` as an IANA name; offsets such as `+05:45`, which Intl also takes, are not. */
export function isKnownZone(zone: string): boolean {
  return /^[A-Za-z]/.test(zone) && readOffsetMs(zone, 0) !== null;
}

/** `1/1/1970, GMT+05:30`; GMT+00:00 or a bare GMT for none; old local mean times carry seconds. */
const LONG_OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

function readOffsetMs(zone: string, atMs: number): number | null {
  let text: string;
  try {
    text = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" }).format(atMs);
  } catch {
    // RangeError: an unknown zone, or an instant that no calendar can hold.
    return null;
  }
  const match = LONG_OFFSET.exec(text);
  if (match === null) {
    return null;
  }
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = match;
  const offsetSeconds = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  return (sign === "-" ? -offsetSeconds : offsetSeconds) * 1_000;
}
