/** The statement that counts one day's unique visitors, of the workspace, of each country and of each link. */
import { type Sql, sql } from "@hopline/db/sql";
import { toTimestamp } from "../instant.ts";
import type { CubeDay } from "./cube-session.ts";
import { QUARTER_OF_CLICK, selectEvents, textOfEvent } from "./insert-cells.ts";

/** Empty: the workspace. */
export const VISITOR_SCOPES: readonly string[] = ["", "country", "link_id"];

/** @param clicks of the day. The workspace has rows even without visitors. */
export function insertVisitors(day: CubeDay, clicks: number): Sql {
  const listOf = (column: Sql, isFirst: boolean) =>
    sql`COALESCE(array_agg(${column}) FILTER (WHERE is_first = ${isFirst}), '{}')`;
  const edges = [true, false].map(
    (isFirst) => sql`${listOf(sql`quarter`, isFirst)}, ${listOf(sql`visitors`, isFirst)}`,
  );
  return sql`
  WITH seen AS MATERIALIZED (
    SELECT CASE 0 WHEN GROUPING(country) THEN 'country' WHEN GROUPING(link_id) THEN 'link_id' ELSE '' END AS scope,
      COALESCE(country, link_id, '') AS place, min(quarter) AS first, max(quarter) AS last,
      min(quarter) FILTER (WHERE class = 'human') AS first_human, max(quarter) FILTER (WHERE class = 'human') AS last_human
    FROM (
      SELECT ${textOfEvent("country")} COLLATE "C" AS country, ${textOfEvent("link_id")} COLLATE "C" AS link_id, class, visitor,
        ${QUARTER_OF_CLICK}::smallint AS quarter ${selectEvents(day)} AND visitor IS NOT NULL
    ) AS event
    GROUP BY GROUPING SETS ((visitor), (country, visitor), (link_id, visitor))
  ), counted AS (
    SELECT scope, place, GROUPING(last, last_human) = 3 AS is_first, GROUPING(first, last) = 3 AS of_humans,
      COALESCE(first, last, first_human, last_human) AS quarter, count(*)::integer AS visitors
    FROM seen
    GROUP BY scope, place, GROUPING SETS (first, last, first_human, last_human)
    UNION ALL SELECT '', '', NULL, of_humans, 0, 0 FROM (VALUES (false), (true)) AS kind (of_humans)
  )
  INSERT INTO cube_visitors (workspace_id, scope, scope_value, of_humans, day, day_clicks,
    first_quarters, first_visitors, last_quarters, last_visitors)
  SELECT ${day.workspaceId}::uuid, scope, place, of_humans, ${toTimestamp(day.dayMs)}, ${clicks}::bigint,
    ${sql.join(edges, sql`, `)}
  FROM counted WHERE quarter IS NOT NULL GROUP BY scope, place, of_humans`;
}
