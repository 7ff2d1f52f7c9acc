/**
 * How far the days of the cube that analytics would use are from the clicks they were made of: each number of each cell, and the
 * visitors.
 */
import type { RunSql } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import { CLICKS } from "../event-values.ts";
import { toTimestamp } from "../instant.ts";
import { SLICE_OF_CELL } from "./cube-session.ts";
import { CUBE_COLUMNS, CUBE_SCOPES, TAG } from "./cube-columns.ts";
import { QUARTER_OF_CLICK, textOfEvent } from "./insert-cells.ts";
import { VISITOR_SCOPES } from "./insert-visitors.ts";

/** Epoch milliseconds. */
export type DriftRange = { readonly sinceMs: number; readonly untilMs: number };

/** Summed over every number in the range, of days whose clicks are all kept. As slow as counting everything again. Rejects as `RunSql` does. */
export async function findDrift(runSql: RunSql, range: DriftRange, timeoutMs: number): Promise<number> {
  let drift = 0;
  for (const statement of [
    ...[...CUBE_SCOPES, TAG].map((scope) => cellDrift(scope, selectUsed(range))),
    ...VISITOR_SCOPES.map((scope) => visitorDrift(scope, selectUsed(range, WITH_VISITORS))),
  ]) {
    const [row] = await runSql(statement, timeoutMs);
    drift += Number(row?.["drift"] ?? 0);
  }
  return drift;
}

/** Days whose visitors are those of all their clicks. */
const WITH_VISITORS = sql`clicks = (SELECT sum(day_clicks) FROM cube_visitors AS seen
      WHERE seen.workspace_id = made.workspace_id AND seen.day = made.day AND scope = '' AND NOT of_humans)`;

const selectUsed = ({ sinceMs, untilMs }: DriftRange, isUsed = sql`true`): Sql => sql`
  WITH used AS MATERIALIZED (
    SELECT workspace_id, day FROM (
      SELECT workspace_id, day, sum(clicks) AS clicks FROM cube_days
      WHERE day >= ${toTimestamp(sinceMs)} AND day + interval '24 hours' <= ${toTimestamp(untilMs)}
      GROUP BY 1, 2
    ) AS made
    WHERE clicks = (SELECT sum(clicks) FROM workspace_rollups AS rollup WHERE rollup.workspace_id = made.workspace_id
        AND bucket_start >= day AND bucket_start < day + interval '24 hours')
      AND NOT EXISTS (SELECT FROM event_retention WHERE kept_from > day) AND ${isUsed}
  ), event AS (
    SELECT used.day, click_events.* FROM used JOIN ${CLICKS} ON click_events.workspace_id = used.workspace_id
      AND clicked_at >= day AND clicked_at < day + interval '24 hours'
  )`;

const DRIFT = sql`
  SELECT COALESCE(sum(abs(COALESCE(counted.clicks, 0) - COALESCE(kept.clicks, 0))), 0)::float8 AS drift
  FROM counted FULL JOIN kept`;

function cellDrift(scope: string, used: Sql): Sql {
  const columns = CUBE_COLUMNS.filter((column) => column !== scope);
  const ofEvents = columns.map((column) => sql`(${column}, ${textOfEvent(column)})`);
  const ofCells = columns.map(
    (column) => sql`(${column}, COALESCE(${sql.identifier(column)}::text[], '{""}'),
      COALESCE(${sql.identifier(`${column}_clicks`)}, ARRAY[cell.clicks::integer]))`,
  );
  const key = sql`workspace_id, day, place, class, domain_id, dimension, value`;
  const isOfTags = scope === TAG;
  const isKept = isOfTags ? sql`AND (scope_value <> '' OR dimension IN ('', 'quarter'))` : sql``;
  return sql`${used}, of_tag AS (
    SELECT workspace_id, day, scope_value AS tag, unnest(link_id) AS link_id
    FROM used JOIN click_cube USING (workspace_id, day) WHERE scope = ${TAG}::text GROUP BY 1, 2, 3, 4
  ), counted AS (
    SELECT workspace_id, day, ${isOfTags ? sql`COALESCE(tag, '')` : textOfEvent(scope)} AS place, class, domain_id, dimension,
      COALESCE(value, '') AS value, count(*) AS clicks
    FROM event ${isOfTags ? sql`LEFT JOIN of_tag USING (workspace_id, day, link_id)` : sql``}
    CROSS JOIN LATERAL (VALUES ('', ''), ${sql.join(ofEvents, sql`, `)}) AS part (dimension, value)
    ${isOfTags ? sql`WHERE tag IS NOT NULL OR dimension IN ('', 'quarter')` : sql``}
    GROUP BY ${key}
  ), kept AS (
    SELECT workspace_id, day, scope_value AS place, class, domain_id, dimension, value, sum(number) AS clicks
    FROM used JOIN click_cube AS cell USING (workspace_id, day)
    CROSS JOIN LATERAL (VALUES ('', '{""}'::text[], ARRAY[cell.clicks::integer]), ${sql.join(ofCells, sql`, `)})
      AS part (dimension, members, numbers)
    CROSS JOIN LATERAL unnest(members, numbers) AS one (value, number)
    WHERE scope = ${scope}::text ${isKept} AND ${SLICE_OF_CELL} IN (
      SELECT made.slice FROM cube_days AS made WHERE made.workspace_id = cell.workspace_id AND made.day = cell.day)
    GROUP BY ${key}
  )${DRIFT} USING (${key})`;
}

function visitorDrift(scope: string, used: Sql): Sql {
  const key = sql`workspace_id, day, place, of_humans, edge, quarter`;
  return sql`${used}, seen AS (
    SELECT workspace_id, day, ${textOfEvent(scope)} AS place, of_humans, visitor, min(quarter) AS first, max(quarter) AS last
    FROM (SELECT *, ${QUARTER_OF_CLICK} AS quarter FROM event WHERE visitor IS NOT NULL) AS event
    CROSS JOIN LATERAL (VALUES (false), (class = 'human')) AS kind (of_humans)
    GROUP BY workspace_id, day, place, of_humans, visitor
  ), counted AS (
    SELECT workspace_id, day, place, of_humans, edge, quarter, count(*) AS clicks
    FROM seen CROSS JOIN LATERAL (VALUES ('first', first), ('last', last)) AS edge (edge, quarter)
    GROUP BY ${key}
  ), kept AS (
    SELECT workspace_id, day, scope_value AS place, of_humans, edge, quarter, sum(visitors) AS clicks
    FROM used JOIN cube_visitors USING (workspace_id, day)
    CROSS JOIN LATERAL (VALUES ('first', first_quarters, first_visitors), ('last', last_quarters, last_visitors))
      AS part (edge, quarters, numbers)
    CROSS JOIN LATERAL unnest(quarters, numbers) AS one (quarter, visitors)
    WHERE scope = ${scope}::text
    GROUP BY ${key}
  )${DRIFT} USING (${key})`;
}
