/**
 * Which summaries are usable: those of periods with as many clicks as the rollups, which are written together with the events,
 * have for the same time. A period with a late click is not among them, in the same snapshot.
 */
import { type SQL, sql } from "drizzle-orm";
import { columnOf } from "@hopline/analytics/dimension";
import type { InstantRange } from "@hopline/analytics/range";
import type { Scope } from "./source.ts";
import { toTimestamp } from "./timestamp.ts";

const DAY_MS = 86_400_000;

/** Lives for one transaction: the statements of an answer need the same periods, and finding them takes longer than some of those. */
const SPANS = "hopline.usable_spans";
const CLICKS = "hopline.usable_clicks";

/** The summaries that a statement reads. */
export type SummaryNeed = { readonly workspaceId: string; readonly range: InstantRange };

/** A statement that finds the usable periods for all of these, of one workspace, for the rest of its transaction. */
export function keepUsable(needs: readonly [SummaryNeed, ...SummaryNeed[]]): SQL {
  const [{ workspaceId }] = needs;
  // No period is longer than a day, and each starts on a multiple of its length.
  const firstMs = Math.floor(Math.min(...needs.map(({ range }) => range.fromMs)) / DAY_MS) * DAY_MS;
  const lastMs = Math.ceil(Math.max(...needs.map(({ range }) => range.toMs)) / DAY_MS) * DAY_MS;
  // Days are counted in one pass: one look-up each costs three times as much. The few hours are looked up.
  // The planner underestimates the rows of summaries, and sorting them into groups costs several times as much as hashing.
  // Lists of clicks read no summaries, and need their sort.
  return sql`SELECT set_config('enable_sort', 'off', true),
      set_config(${SPANS}, COALESCE(array_agg(tstzrange(period_start, period_end))::text, '{}'), true),
      set_config(${CLICKS}, COALESCE(array_agg(period.clicks)::text, '{}'), true)
    FROM summary_periods AS period
    LEFT JOIN (
      SELECT date_bin('24 hours', bucket_start, 'epoch') AS day_start, sum(clicks) AS clicks FROM workspace_rollups
      WHERE workspace_id = ${workspaceId}::uuid AND bucket_start >= ${toTimestamp(firstMs)}
        AND bucket_start < ${toTimestamp(lastMs)}
      GROUP BY 1
    ) AS day ON day_start = period_start AND period_end = day_start + interval '24 hours'
    WHERE workspace_id = ${workspaceId}::uuid
      AND period_start >= ${toTimestamp(firstMs)} AND period_start < ${toTimestamp(lastMs)}
      AND period.clicks = COALESCE(day.clicks, (SELECT COALESCE(sum(rollup.clicks), 0)
        FROM workspace_rollups AS rollup WHERE rollup.workspace_id = ${workspaceId}::uuid
          AND rollup.bucket_start >= period.period_start AND rollup.bucket_start < period.period_end))`;
}

/**
 * (period_start, period_end, clicks) of the usable periods that overlap the range. None unless `keepUsable` ran before; then
 * everything is read from complete sources.
 */
export function selectUsable(workspaceId: string, { fromMs, toMs }: InstantRange, scope?: Scope): SQL {
  const ofScope =
    scope === undefined
      ? sql``
      : sql` AND ${hasScopeRows({ table: sql`scope_summaries`, start: sql`period_start` }, sql`lower(period.span)`, { workspaceId, scope })}`;
  return sql`SELECT lower(span) AS period_start, upper(span) AS period_end, clicks
    FROM unnest(NULLIF(current_setting(${SPANS}, true), '')::tstzrange[],
      NULLIF(current_setting(${CLICKS}, true), '')::bigint[]) AS period (span, clicks)
    WHERE span && tstzrange(${toTimestamp(fromMs)}, ${toTimestamp(toMs)})${ofScope}`;
}

type ScopeRows = { readonly table: SQL; readonly start: SQL };

/** Condition: the table has rows of the scope that start at this instant. */
export function hasScopeRows(
  { table, start }: ScopeRows,
  at: SQL,
  { workspaceId, scope }: { readonly workspaceId: string; readonly scope: Scope },
): SQL {
  return sql`EXISTS (SELECT FROM ${table} WHERE workspace_id = ${workspaceId}::uuid
    AND scope = ${columnOf(scope.dimension)} AND scope_value = ${scope.value}
    AND dimension = ${columnOf(scope.member)} AND ${start} = ${at})`;
}

/** FROM item: the rest of the range, without the usable periods of a table. */
export function uncoveredSpans(usable: SQL, { from, to }: { readonly from: SQL; readonly to: SQL }): SQL {
  return sql`(SELECT unnest(tstzmultirange(tstzrange(${from}, ${to})) - COALESCE(
      (SELECT range_agg(tstzrange(period_start, period_end)) FROM ${usable}), '{}')) AS span) AS uncovered`;
}
export const UNCOVERED_FROM: SQL = sql`lower(uncovered.span)`;
export const UNCOVERED_TO: SQL = sql`upper(uncovered.span)`;
