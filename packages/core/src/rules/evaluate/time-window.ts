/**
 * Whether an instant lies in a rule's time window. Wall-clock semantics: on the day clocks go forward a window over the
 * skipped hour is an hour shorter, on the day they go back it is an hour longer. After midnight a window that wraps
 * still belongs to the weekday it started on.
 */
import type { LocalTime } from "./local-time.ts";
import type { TimeWindow } from "../rule.ts";

const MINUTES_PER_DAY = 1_440;

/** False also when the runtime does not know the zone: a rule that cannot be checked does not match. */
export function isWithin(time: TimeWindow, nowMs: number, localTime: LocalTime): boolean {
  if (time.fromMs !== undefined && nowMs < time.fromMs) {
    return false;
  }
  if (time.untilMs !== undefined && nowMs >= time.untilMs) {
    return false;
  }
  return time.zone === undefined || isLocalMinuteWithin(time, localTime(time.zone, nowMs));
}

function isLocalMinuteWithin(time: TimeWindow, minuteOfWeek: number | null): boolean {
  if (minuteOfWeek === null) {
    return false;
  }
  const { startMinute: start, endMinute: end, days } = time;
  const minute = minuteOfWeek % MINUTES_PER_DAY;
  let dayIndex = Math.floor(minuteOfWeek / MINUTES_PER_DAY);
  if (start !== undefined && end !== undefined) {
    const wraps = start > end;
    if (wraps ? minute < start && minute >= end : minute < start || minute >= end) {
      return false;
    }
    if (wraps && minute < end) {
      dayIndex = (dayIndex + 6) % 7;
    }
  }
  return days === undefined || days.includes(dayIndex + 1);
}
