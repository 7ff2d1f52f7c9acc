/**
 * Which summaries of weeks are usable instead of their days: those whose seven days are all usable, and that have as many clicks
 * as these have now (migrations/0017). In the same snapshot as the days.
 */
import { type SQL, sql } from "drizzle-orm";
import type { InstantRange } from "@hopline/analytics/range";
import type { Scope } from "./source.ts";
import { hasScopeRows } from "./summary-periods.ts";

const WEEK_MS = 604_800_000;

/** The starts of the weeks that are entirely in the range and contain no boundary. Epoch milliseconds. Pure. */
export function wholeWeeks(
  { fromMs, toMs }: InstantRange,
  boundariesMs: readonly number[] = [],
): readonly number[] {
  const cut = new Set(
    boundariesMs.filter((atMs) => atMs % WEEK_MS !== 0).map((atMs) => Math.floor(atMs / WEEK_MS) * WEEK_MS),
  );
  const firstMs = Math.ceil(fromMs / WEEK_MS) * WEEK_MS;
  const count = Math.max(0, Math.floor((toMs - firstMs) / WEEK_MS));
  return Array.from({ length: count }, (_, week) => firstMs + week * WEEK_MS).filter(
    (atMs) => !cut.has(atMs),
  );
}

type WeekOptions = {
  /** Table of the periods of `selectUsable`. */
  readonly usable: SQL;
  readonly scope: Scope | undefined;
};

/** (week_start) of the usable ones of these weeks. */
export function selectUsableWeeks(
  workspaceId: string,
  weeksMs: readonly number[],
  { usable, scope }: WeekOptions,
): SQL {
  const starts = sql.param(weeksMs.map((atMs) => new Date(atMs).toISOString()));
  const ofScope =
    scope === undefined
      ? sql``
      : sql` AND ${hasScopeRows({ table: sql`scope_weeks`, start: sql`week_start` }, sql`week.week_start`, { workspaceId, scope })}`;
  return sql`SELECT week.week_start
    FROM summary_weeks AS week
    JOIN ${usable} AS usable ON ${WEEK_OF_PERIOD} = week.week_start AND period_end = period_start + interval '24 hours'
    WHERE workspace_id = ${workspaceId}::uuid AND week.week_start = ANY(${starts}::timestamptz[])${ofScope}
    GROUP BY week.week_start, week.clicks
    HAVING count(*) = 7 AND sum(usable.clicks) = week.clicks`;
}

/** The week that a row's `period_start` is in. */
export const WEEK_OF_PERIOD: SQL = sql`date_bin('7 days', period_start, 'epoch')`;
