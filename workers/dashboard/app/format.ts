/** Numbers, dates and durations as people read them. Instants are RFC 3339 or epoch milliseconds, in the person's zone unless an IANA name says another. */
import { attempt } from "./attempt.ts";
import { preferredZone } from "./preferences.ts";

const WHOLE = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const PERCENT = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

export function formatNumber(value: number): string {
  return WHOLE.format(value);
}

/** `1 link`, `2,000 links`. */
export function countOf(number: number, name: string): string {
  return `${formatNumber(number)} ${name}${number === 1 ? "" : "s"}`;
}

/** `12.3K`, for where a whole number has no room. */
export function formatShort(value: number): string {
  return SHORT.format(value);
}

/** A share of 1. */
export function formatPercent(share: number): string {
  return PERCENT.format(share);
}

const DAY = { day: "numeric", month: "short", year: "numeric" } as const;
const MINUTE = { hour: "2-digit", minute: "2-digit" } as const;

export const formatDate = inZones(DAY);
export const formatDateTime = inZones({ ...DAY, ...MINUTE });
/** `12:00:02`. */
export const formatTime = inZones({ ...MINUTE, second: "2-digit" });

/** One for each zone: to make one takes longer than to draw the rest of a table's row. */
function inZones(options: Intl.DateTimeFormatOptions) {
  const made = new Map<string, Intl.DateTimeFormat>();
  return (instant: string | number, timeZone: string = preferredZone()): string => {
    const format = made.get(timeZone) ?? new Intl.DateTimeFormat("en-GB", { timeZone, ...options });
    made.set(timeZone, format);
    return format.format(new Date(instant));
  };
}

const STEPS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** `2 days ago`; `now` for less than a minute. */
export function formatAgo(instant: string, nowMs: number): string {
  const seconds = (Date.parse(instant) - nowMs) / 1_000;
  const step = STEPS.find(([, length]) => Math.abs(seconds) >= length);
  return step === undefined ? "now" : RELATIVE.format(Math.trunc(seconds / step[1]), step[0]);
}

/** `0.3 s`, `2 min`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) {
    return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
  }
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Without the scheme, and without the slash of a bare host; in letters of any script, unless some of them can't be seen. */
export function formatUrl(url: string): string {
  const short = url.replace(/^https?:\/\//, "").replace(/^([^/]+)\/$/, "$1");
  const readable = attempt(() => decodeURI(short)) ?? short;
  return /[\p{C}\p{Z}]/u.test(readable) ? short : readable;
}

const REGIONS = new Intl.DisplayNames("en", { type: "region", fallback: "code" });
const LANGUAGES = new Intl.DisplayNames("en", { type: "language", fallback: "code" });

/** The English name of an ISO 3166-1 alpha-2 code; what is none stays as it is. */
export function countryName(code: string): string {
  // Intl refuses what does not even look like a code.
  return attempt(() => REGIONS.of(code)) ?? code;
}

export function languageName(code: string): string {
  return attempt(() => LANGUAGES.of(code)) ?? code;
}
