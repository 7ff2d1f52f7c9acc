/** What is said of the numbers of a range: whether they are all there, and if not, until when they are. Pure. */
import type { components } from "@hopline/client/openapi";
import { formatDate, formatDateTime, formatTime } from "../format.ts";

export type AnsweredRange = components["schemas"]["AnalyticsRange"];

const COMPLETE = "Every click that was stored for this range is in these numbers.";
const BEHIND =
  "Lists and visitors lack some clicks since then: so many came that they are still being counted. Clicks and charts without filters have them all.";
const GONE =
  "Too low: the single clicks of some of these days are no longer kept. Totals, and charts without filters, reach further back.";

export function describeCompleteness(range: AnsweredRange): { readonly label: string; readonly why: string } {
  const { complete: isComplete, completeUntil } = range;
  if (isComplete) {
    return { label: "complete", why: COMPLETE };
  }
  return completeUntil === null
    ? { label: "incomplete", why: GONE }
    : { label: `complete until ${timeOf(completeUntil, range)}`, why: BEHIND };
}

/** Without the date on the range's last day. */
function timeOf(instant: string, { to, timeZone }: AnsweredRange): string {
  return formatDate(instant, timeZone) === formatDate(Date.parse(to) - 1, timeZone)
    ? formatTime(instant, timeZone).slice(0, 5)
    : formatDateTime(instant, timeZone);
}
