/** Whether the numbers of a range are all there, and if not, until when they are. */
import type { components } from "@hopline/client/openapi";
import { formatDate, formatDateTime, formatTime } from "../format.ts";
import { Hint } from "../ui/controls.tsx";

type Range = components["schemas"]["AnalyticsRange"];

const COMPLETE = "Every click that was stored for this range is in these numbers.";
const BEHIND =
  "Lists and visitors lack some clicks since then: so many came that they are still being counted. Clicks and charts without filters have them all.";
const GONE =
  "Too low: they need single clicks of days whose clicks are no longer kept (RETENTION_DAYS). Totals and series by one dimension reach back further.";

export function Completeness({ range }: { readonly range: Range }) {
  const { complete: isComplete, completeUntil } = range;
  return (
    <Hint text={isComplete ? COMPLETE : completeUntil === null ? GONE : BEHIND}>
      <span className={`status ${isComplete ? "good" : "warn"}`} tabIndex={0}>
        {isComplete
          ? "complete"
          : completeUntil === null
            ? "incomplete"
            : `complete until ${timeOf(completeUntil, range)}`}
      </span>
    </Hint>
  );
}

/** Without the date on the range's last day. */
function timeOf(instant: string, { to, timeZone }: Range): string {
  return formatDate(instant, timeZone) === formatDate(Date.parse(to) - 1, timeZone)
    ? formatTime(instant, timeZone).slice(0, 5)
    : formatDateTime(instant, timeZone);
}
