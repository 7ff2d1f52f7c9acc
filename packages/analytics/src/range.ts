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

export const PERIODS = [
  "today",
  "yesterday",
  "last7Days",
  "last30Days",
  "last90Days",
  "thisMonth",
  "lastMonth",
  "last12Months",
  "thisYear",
] as const;
export type Period = (typeof PERIODS)[number];

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
  const today = floorToDay(toWallMs(zone, nowMs));
  const tomorrow = today + DAY_MS;
  const month = floorToMonths(today, 1);
  switch (period) {
    case "today":
      return rangeOfDays(zone, today, tomorrow);
    case "yesterday":
      return rangeOfDays(zone, today - DAY_MS, today);
    case "last7Days":
      return rangeOfDays(zone, tomorrow - 7 * DAY_MS, tomorrow);
    case "last30Days":
      return rangeOfDays(zone, tomorrow - 30 * DAY_MS, tomorrow);
    case "last90Days":
      return rangeOfDays(zone, tomorrow - 90 * DAY_MS, tomorrow);
    case "thisMonth":
      return rangeOfDays(zone, month, addMonths(month, 1));
    case "lastMonth":
      return rangeOfDays(zone, addMonths(month, -1), month);
    case "last12Months":
      return rangeOfDays(zone, addMonths(month, -11), addMonths(month, 1));
    case "thisYear":
      return rangeOfDays(zone, floorToMonths(today, 12), addMonths(floorToMonths(today, 12), 12));
  }
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
