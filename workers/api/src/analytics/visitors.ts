/**
 * Unique visitors of a whole workspace, from the numbers kept of each summarised day. They may be added up, because the
 * key behind a visitor's hash changes with the UTC day: no visitor is in two of them.
 */
import { type SQL, sql } from "drizzle-orm";
import { eventColumn, toConditions } from "./conditions.ts";
import type { Question } from "./question.ts";
import { selectUsable, uncoveredSpans, UNCOVERED_FROM, UNCOVERED_TO } from "./summary-periods.ts";
import { toTimestamp } from "./timestamp.ts";

const DAY_MS = 86_400_000;

/** The column of summary_periods that counts what the question asks for; `null` where none does. */
function keptCountOf({ filters }: Question): SQL | null {
  const [filter, ...more] = filters;
  if (filter === undefined) {
    return sql`visitors`;
  }
  const isHumans =
    filter.dimension === "class" &&
    filter.isNot.length === 0 &&
    filter.is.length === 1 &&
    filter.is[0] === "human";
  return isHumans && more.length === 0 ? sql`human_visitors` : null;
}

/** A number as a scalar sub-SELECT; `null` where the days' numbers do not answer the question. */
export function selectKeptVisitors(question: Question): SQL | null {
  const { workspaceId, range, filters } = question;
  const kept = keptCountOf(question);
  const fromMs = Math.ceil(range.fromMs / DAY_MS) * DAY_MS;
  const toMs = Math.floor(range.toMs / DAY_MS) * DAY_MS;
  if (kept === null || fromMs >= toMs) {
    return null;
  }
  const conditions = [
    sql`workspace_id = ${workspaceId}::uuid AND clicked_at >= ${UNCOVERED_FROM} AND clicked_at < ${UNCOVERED_TO}`,
    ...toConditions(workspaceId, filters, eventColumn),
  ];
  const edges = { from: toTimestamp(range.fromMs), to: toTimestamp(range.toMs) };
  return sql`(WITH usable AS MATERIALIZED (
      SELECT * FROM (${selectUsable(workspaceId, { fromMs, toMs })}) AS period
      JOIN (SELECT period_start, human_visitors, visitors FROM summary_periods WHERE workspace_id = ${workspaceId}::uuid)
        AS kept USING (period_start) WHERE visitors IS NOT NULL
    )
    SELECT COALESCE((SELECT sum(${kept}) FROM usable), 0) + (
      SELECT count(DISTINCT visitor) FROM ${uncoveredSpans(edges)}
      CROSS JOIN LATERAL (SELECT visitor FROM click_events WHERE ${sql.join(conditions, sql` AND `)} OFFSET 0) AS event
    ))`;
}
