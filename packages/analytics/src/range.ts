/** The time range of a request: instants, dates in a time zone, or a named period; and the previous period. Pure. */
import { isStorableInstant } from "@hopline/core/rules/compile/instant";
import { Temporal } from "temporal-polyfill";
import { QUARTER_MS } from "./calendar.ts";
import { type Day, FIRST_DAY, startMs, zonedAt } from "./time-zone.ts";

/** From inclusive, to exclusive; epoch milliseconds. */
export type InstantRange = { readonly fromMs: number; readonly toMs: number };

/** The day, month or year that today is in, and the range's start and exclusive end, counted from its first day. */
const PERIOD_SPANS = {
  today: ["day", { days: 0 }, { days: 1 }],
  yesterday: ["day", { days: -1 }, { days: 0 }],
  last7Days: ["day", { days: -6 }, { days: 1 }],
  last30Days: ["day", { days: -29 }, { days: 1 }],
  last90Days: ["day", { days: -89 }, { days: 1 }],
  thisMonth: ["month", { months: 0 }, { months: 1 }],
  lastMonth: ["month", { months: -1 }, { months: 0 }],
  last12Months: ["month", { months: -11 }, { months: 1 }],
  thisYear: ["year", { years: 0 }, { years: 1 }],
} as const;

export type Period = keyof typeof PERIOD_SPANS;
export const PERIODS = Object.keys(PERIOD_SPANS) as [Period, ...Period[]];

export type TimeRange = InstantRange & {
  /** As the request names it. */
  readonly timeZone: string;
  /** The range as dates, the last one exclusive, and what it is counted in, if it is whole days. */
  readonly days: { readonly from: Day; readonly to: Day; readonly unit: "days" | "months" } | null;
};

/** Of a request: an instant, or a date in its time zone. */
export type Edge = Temporal.Instant | Day;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** `null` for text that is neither a date (`2026-11-21`) nor an RFC 3339 instant. */
export function parseEdge(text: string): Edge | null {
  try {
    if (DATE.test(text)) {
      return Temporal.PlainDate.from(text);
    }
    return INSTANT.test(text) && isStorableInstant(text) ? Temporal.Instant.from(text) : null;
  } catch {
    return null;
  }
}

type Now = { readonly timeZone: string; readonly nowMs: number };

/** A date as the end includes that day; without an end it is now. */
export function rangeOfEdges(from: Edge, to: Edge | null, { timeZone, nowMs }: Now): TimeRange {
  const end = to instanceof Temporal.PlainDate ? to.add({ days: 1 }) : to;
  if (from instanceof Temporal.PlainDate && end instanceof Temporal.PlainDate) {
    return rangeOfDays(timeZone, {
      from,
      to: end,
      unit: from.day === 1 && end.day === 1 ? "months" : "days",
    });
  }
  const toMs = (edge: Edge) =>
    edge instanceof Temporal.PlainDate ? startMs(edge, timeZone) : edge.epochMilliseconds;
  return { timeZone, fromMs: toMs(from), toMs: end === null ? nowMs : toMs(end), days: null };
}

export function rangeOfPeriod(period: Period, { timeZone, nowMs }: Now): TimeRange {
  const [unit, from, to] = PERIOD_SPANS[period];
  const start = FIRST_DAY[unit](zonedAt(nowMs, timeZone).toPlainDate());
  const days = { from: start.add(from), to: start.add(to) };
  return rangeOfDays(timeZone, { ...days, unit: unit === "day" ? "days" : "months" });
}

function rangeOfDays(timeZone: string, days: NonNullable<TimeRange["days"]>): TimeRange {
  return { timeZone, fromMs: startMs(days.from, timeZone), toMs: startMs(days.to, timeZone), days };
}

/**
 * The previous period: as many whole months if the range is counted in months, as many days if it is whole days, otherwise the same
 * length. If the range is not over, the part of it that ends at the same local time, at the start of a quarter of an hour: up to
 * there, visitors are pre-aggregated.
 */
export function periodBefore(range: TimeRange, nowMs: number): TimeRange {
  const before = wholePeriodBefore(range);
  if (nowMs >= range.toMs || nowMs <= range.fromMs) {
    return before;
  }
  const quarterMs = Math.floor(momentBefore(range, before, nowMs) / QUARTER_MS) * QUARTER_MS;
  const toMs = Math.min(before.toMs, Math.max(before.fromMs + QUARTER_MS, quarterMs));
  return { ...before, toMs, days: null };
}

function momentBefore(range: TimeRange, before: TimeRange, nowMs: number): number {
  if (range.days === null || before.days === null) {
    return before.fromMs + nowMs - range.fromMs;
  }
  const { timeZone, days } = range;
  const now = zonedAt(nowMs, timeZone);
  const passed = days.from.until(now.toPlainDate(), { largestUnit: days.unit });
  const plainTime = now.toPlainTime();
  return before.days.from.add(passed).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
}

function wholePeriodBefore({ timeZone, fromMs, toMs, days }: TimeRange): TimeRange {
  if (days === null) {
    return { timeZone, fromMs: fromMs - (toMs - fromMs), toMs: fromMs, days };
  }
  const { from, to, unit } = days;
  return rangeOfDays(timeZone, {
    from: from.subtract(from.until(to, { largestUnit: unit })),
    to: from,
    unit,
  });
}
