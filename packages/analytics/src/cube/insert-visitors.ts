/** The statement that counts one day's unique visitors, of the workspace, of each country or of each link. */
import { type Sql, sql } from "@hopline/db/sql";
import { type CubeDay, instantOf } from "./cube-session.ts";
import { QUARTER_OF_CLICK, selectEvents, textOfEvent } from "./insert-cells.ts";

/** The workspace last: its row says that the day was counted. */
export const VISITOR_SCOPES: readonly string[] = ["country", "link_id", ""];

/** @param clicks of the day. The workspace has rows even without visitors. */
export function insertVisitors(scope: string, day: CubeDay, clicks: number): Sql {
  const ofEdge = (edge: string, value: Sql) =>
    sql`COALESCE(array_agg(${value} ORDER BY quarter) FILTER (WHERE edge = ${edge}), '{}')`;
  const arrays = ["first", "last"].flatMap((edge) => [
    ofEdge(edge, sql`quarter`),
    ofEdge(edge, sql`visitors`),
  ]);
  const noVisitors = sql`UNION ALL SELECT '', of_humans, '', NULL, NULL FROM (VALUES (false), (true)) AS kind (of_humans)`;
  return sql`
  WITH seen AS MATERIALIZED (
    SELECT place, min(quarter) AS first, max(quarter) AS last,
      min(quarter) FILTER (WHERE class = 'human') AS first_human, max(quarter) FILTER (WHERE class = 'human') AS last_human
    FROM (
      SELECT ${textOfEvent(scope)} AS place, class, visitor, ${QUARTER_OF_CLICK}::smallint AS quarter ${selectEvents(day)}
        AND visitor IS NOT NULL
    ) AS event
    GROUP BY 1, visitor
  ), edge AS (
    SELECT place, of_humans, edge, quarter, count(*)::integer AS visitors
    FROM seen CROSS JOIN LATERAL (VALUES
      (false, 'first', first), (false, 'last', last), (true, 'first', first_human), (true, 'last', last_human)
    ) AS edge (of_humans, edge, quarter)
    WHERE quarter IS NOT NULL
    GROUP BY 1, 2, 3, 4
    ${scope === "" ? noVisitors : sql``}
  )
  INSERT INTO cube_visitors (workspace_id, scope, scope_value, of_humans, day, day_clicks,
    first_quarters, first_visitors, last_quarters, last_visitors)
  SELECT ${day.workspaceId}::uuid, ${scope}::text, place, of_humans, ${instantOf(day.dayMs)}, ${clicks}::bigint,
    ${sql.join(arrays, sql`, `)}
  FROM edge GROUP BY place, of_humans`;
}
