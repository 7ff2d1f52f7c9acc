/** The time range of a request: instants, dates in a time zone, or a named period; and the previous period. Pure. */
import { isStorableInstant } from "@hopline/core/rules/compile/instant";
import {
  addMonths,
  DAY_MS,
  floorToDay,
  floorToMonths,
  toInstantMs,
  toWallMs,
  type Zone,
} from "./calendar.ts";

/** From inclusive, to exclusive; epoch milliseconds. */
export type InstantRange = { readonly fromMs: number; readonly toMs: number };

/** From, and to before: days from today on, or months from the first of this month or year on. */
const PERIOD_SPANS = {
  today: ["day", 0, 1],
  yesterday: ["day", -1, 0],
  last7Days: ["day", -6, 1],
  last30Days: ["day", -29, 1],
  last90Days: ["day", -89, 1],
  thisMonth: ["month", 0, 1],
  lastMonth: ["month", -1, 0],
  last12Months: ["month", -11, 1],
  thisYear: ["year", 0, 12],
} as const;

export type Period = keyof typeof PERIOD_SPANS;
export const PERIODS = Object.keys(PERIOD_SPANS) as [Period, ...Period[]];

export type TimeRange = InstantRange & {
  readonly zone: Zone;
  /** The range as local midnights, if it is whole days. */
  readonly days: { readonly fromWallMs: number; readonly toWallMs: number } | null;
};

/** An edge in a request: an instant, or a date (its local midnight). */
export type Edge =
  | { readonly kind: "instant"; readonly atMs: number }
  | { readonly kind: "date"; readonly wallMs: number };

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** `null` for text that is neither a date (`2026-11-21`) nor an RFC 3339 instant. */
export function parseEdge(text: string): Edge | null {
  const atMs = DATE.test(text) || INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  // Some engines parse 2026-02-31 as 3 March.
  if (Number.isNaN(atMs) || (DATE.test(text) && new Date(atMs).toISOString().slice(0, 10) !== text)) {
    return null;
  }
  if (DATE.test(text)) {
    return { kind: "date", wallMs: atMs };
  }
  return isStorableInstant(text) ? { kind: "instant", atMs } : null;
}

/** A date as the end includes that day; without an end it is now. */
export function rangeOfEdges(from: Edge, to: Edge | null, context: Now): TimeRange {
  const { zone, nowMs } = context;
  if (from.kind === "date" && to?.kind === "date") {
    return rangeOfDays(zone, from.wallMs, to.wallMs + DAY_MS);
  }
  const fromMs = from.kind === "date" ? toInstantMs(zone, from.wallMs) : from.atMs;
  const toMs = to === null ? nowMs : to.kind === "date" ? toInstantMs(zone, to.wallMs + DAY_MS) : to.atMs;
  return { zone, fromMs, toMs, days: null };
}

type Now = { readonly zone: Zone; readonly nowMs: number };

export function rangeOfPeriod(period: Period, { zone, nowMs }: Now): TimeRange {
  const [unit, from, to] = PERIOD_SPANS[period];
  const today = floorToDay(toWallMs(zone, nowMs));
  const start = floorToMonths(today, unit === "year" ? 12 : 1);
  return unit === "day"
    ? rangeOfDays(zone, today + from * DAY_MS, today + to * DAY_MS)
    : rangeOfDays(zone, addMonths(start, from), addMonths(start, to));
}

function rangeOfDays(zone: Zone, fromWallMs: number, untilWallMs: number): TimeRange {
  return {
    zone,
    fromMs: toInstantMs(zone, fromWallMs),
    toMs: toInstantMs(zone, untilWallMs),
    days: { fromWallMs, toWallMs: untilWallMs },
  };
}

/**
 * The previous period: as many whole months if the range is whole months, as many days if it is whole days, otherwise the same
 * length. If the range is not over, only as much of the previous period as has passed of this one.
 */
export function periodBefore(range: TimeRange, nowMs: number): TimeRange {
  const before = wholePeriodBefore(range);
  const passedMs = nowMs - range.fromMs;
  if (nowMs >= range.toMs || passedMs <= 0) {
    return before;
  }
  return { ...before, toMs: Math.min(before.toMs, before.fromMs + passedMs), days: null };
}

function wholePeriodBefore({ zone, fromMs, toMs, days }: TimeRange): TimeRange {
  if (days === null) {
    return { zone, fromMs: fromMs - (toMs - fromMs), toMs: fromMs, days };
  }
  const isMonths = [days.fromWallMs, days.toWallMs].every((wallMs) => floorToMonths(wallMs, 1) === wallMs);
  const start = isMonths
    ? addMonths(days.fromWallMs, monthNumber(days.fromWallMs) - monthNumber(days.toWallMs))
    : days.fromWallMs - (days.toWallMs - days.fromWallMs);
  return rangeOfDays(zone, start, days.fromWallMs);
}

function monthNumber(wallMs: number): number {
  const date = new Date(wallMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
