/** The numbers that the analytics page shows, as a table. Pure. */
import type { ClickBreakdown, Overview } from "@hopline/client/openapi";
import { toCsvLine } from "@hopline/core/csv/csv-line";
import { valueName } from "./value-name.ts";
import { DIMENSIONS, t } from "./words.ts";
import { shared } from "../words.ts";

/** `lists`: what each card shows. */
export function toNumbersCsv(
  { totals, range, series }: Pick<Overview, "totals" | "range" | "series">,
  lists: readonly ClickBreakdown[],
): string {
  const { clicks, visitors } = totals;
  const rows = [
    [t.list, t.value, shared.clicks],
    [t.total, `${range.from} to ${range.to}`, String(clicks)],
    ...(visitors === null ? [] : [[t.visitors, `${range.from} to ${range.to}`, String(visitors)]]),
    ...series.points.map(({ at, clicks: ofPoint }) => [t.byInterval(series.interval), at, String(ofPoint)]),
    ...lists.flatMap(({ dimension, values }) =>
      values.map(({ value, label, clicks: ofValue }) => [
        DIMENSIONS[dimension],
        valueName(dimension, value, label),
        String(ofValue),
      ]),
    ),
  ];
  return rows.map(toCsvLine).join("");
}
