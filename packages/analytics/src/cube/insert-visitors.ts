/** The statement that counts one day's unique visitors, of the workspace, of each country or of each link. */
import { QUARTER_OF_CLICK, SLICE_EVENTS } from "./insert-cells.ts";

/** The workspace last: its row says that the day was counted. */
export const VISITOR_SCOPES: readonly string[] = ["country", "link_id", ""];

/** `$4`: the clicks of the day. The workspace has rows even without visitors. */
export function insertVisitors(scope: string): string {
  const place = scope === "" ? "''::text" : `COALESCE(${scope}::text, '')`;
  const arrays = ["first", "last"].map((edge) => {
    const of = (value: string) =>
      `COALESCE(array_agg(${value} ORDER BY quarter) FILTER (WHERE edge = '${edge}'), '{}')`;
    return `${of("quarter")}, ${of("visitors")}`;
  });
  return `
  WITH seen AS MATERIALIZED (
    SELECT ${place} AS place, min(quarter) AS first, max(quarter) AS last,
      min(quarter) FILTER (WHERE class = 'human') AS first_human, max(quarter) FILTER (WHERE class = 'human') AS last_human
    FROM (
      SELECT ${scope === "" ? "" : `${scope},`} class, visitor, ${QUARTER_OF_CLICK}::smallint AS quarter ${SLICE_EVENTS}
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
    ${scope === "" ? "UNION ALL SELECT '', of_humans, '', NULL, NULL FROM (VALUES (false), (true)) AS kind (of_humans)" : ""}
  )
  INSERT INTO cube_visitors (workspace_id, scope, scope_value, of_humans, day, day_clicks,
    first_quarters, first_visitors, last_quarters, last_visitors)
  SELECT $1::uuid, '${scope}', place, of_humans, to_timestamp($2::float8 / 1000.0), $4::bigint, ${arrays.join(", ")}
  FROM edge GROUP BY place, of_humans`;
}
