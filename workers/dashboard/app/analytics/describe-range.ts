/** A range of days and a change between two of them, in words. Pure. */
import { formatDate, formatPercent } from "../format.ts";

type Range = { readonly from: string; readonly to: string };

/** `Today, 23 Nov 2026`, one day, or both ends; the end of a range is not in it. */
export function describeRange({ from, to }: Range, timeZone: string, nowMs: number): string {
  const [first, last] = [formatDate(from, timeZone), formatDate(Date.parse(to) - 1, timeZone)];
  if (first !== last) {
    return `${first} to ${last}`;
  }
  return first === formatDate(nowMs, timeZone) ? `Today, ${first}` : first;
}

/** `+12%`; `null` where there is nothing to compare with. */
export function describeChange(now: number, before: number): string | null {
  if (before === 0) {
    return null;
  }
  const change = now / before - 1;
  return `${change < 0 ? "−" : "+"}${formatPercent(Math.abs(change))}`;
}
