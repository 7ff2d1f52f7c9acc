/**
 * Which summarised periods may be used: those made of as many clicks as the rollups, which are written together with
 * the events, have for the same time. A period that a click came late to is not among them, in the same snapshot.
 */
import { type SQL, sql } from "drizzle-orm";
import { columnOf } from "./dimension.ts";
import type { InstantRange } from "./range.ts";
import type { Scope } from "./source.ts";
import { toTimestamp } from "./timestamp.ts";

const DAY_MS = 86_400_000;

/** (period_start, period_end) of the usable periods that touch the range. */
export function selectUsable(workspaceId: string, { fromMs, toMs }: InstantRange, scope?: Scope): SQL {
  // No period is longer than a day, and each begins on a multiple of its length.
  const firstMs = Math.floor(fromMs / DAY_MS) * DAY_MS;
  const ofScope =
    scope === undefined
      ? sql``
      : sql` AND EXISTS (SELECT FROM scope_summaries WHERE workspace_id = ${workspaceId}::uuid
          AND scope = ${columnOf(scope.dimension)} AND scope_value = ${scope.value}
          AND dimension = ${columnOf(scope.member)} AND period_start = period.period_start)`;
  return sql`SELECT period_start, period_end
    FROM summary_periods AS period
    WHERE workspace_id = ${workspaceId}::uuid AND period_end > ${toTimestamp(fromMs)}
      AND period_start >= ${toTimestamp(firstMs)} AND period_start < ${toTimestamp(toMs)}
      AND clicks = (SELECT COALESCE(sum(rollup.clicks), 0) FROM workspace_rollups AS rollup
        WHERE rollup.workspace_id = ${workspaceId}::uuid
          AND rollup.bucket_start >= period.period_start AND rollup.bucket_start < period.period_end)${ofScope}`;
}

/** `FROM` item: what `usable` leaves of the range. */
export function uncoveredSpans({ from, to }: { readonly from: SQL; readonly to: SQL }): SQL {
  return sql`(SELECT unnest(tstzmultirange(tstzrange(${from}, ${to})) - COALESCE(
      (SELECT range_agg(tstzrange(period_start, period_end)) FROM usable), '{}')) AS span) AS uncovered`;
}
export const UNCOVERED_FROM: SQL = sql`lower(uncovered.span)`;
export const UNCOVERED_TO: SQL = sql`upper(uncovered.span)`;
