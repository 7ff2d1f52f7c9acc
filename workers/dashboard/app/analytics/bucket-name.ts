/** The name of a bucket of a series, by its start. Pure. */
import type { ClickSeries } from "@hopline/client/openapi";

const DAY = { day: "numeric", month: "short" } as const;
const TIME = { hour: "2-digit", minute: "2-digit" } as const;
const FORMS: { readonly [interval in ClickSeries["interval"]]: Intl.DateTimeFormatOptions } = {
  "15m": { ...DAY, ...TIME },
  hour: { ...DAY, ...TIME },
  day: DAY,
  week: DAY,
  month: { month: "short", year: "numeric" },
  quarter: { month: "short", year: "numeric" },
  year: { year: "numeric" },
};

/** `isOneDay`: all of them are of one day, which is said elsewhere. */
export function bucketName(
  start: string,
  interval: ClickSeries["interval"],
  { timeZone, isOneDay }: { readonly timeZone: string; readonly isOneDay: boolean },
): string {
  const form = isOneDay ? TIME : FORMS[interval];
  const text = new Intl.DateTimeFormat("en-GB", { timeZone, ...form }).format(new Date(start));
  return interval === "week" ? `from ${text}` : text;
}
