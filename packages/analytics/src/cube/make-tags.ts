/**
 * Makes the cells of tags, slice by slice, from the cells of the links that have them now. A cell lists its links, so that a question that
 * reads it can tell whether they are still the links of its tag. Links without a tag have a cell with an empty name, which has only the
 * quarters of an hour.
 */
import { type Sql, sql } from "@hopline/db/sql";
import { toTimestamp } from "../instant.ts";
import { TAG } from "./cube-columns.ts";
import { type CubeDay, isOfDay, lockDay, type Run, SLICE_OF_CELL } from "./cube-session.ts";
import { insertSums } from "./insert-cells.ts";

/** Again, those that links have got or lost. Two transactions, because the live stream waits for those that have written, and the second takes longer. */
export async function makeTags(run: Run, day: CubeDay): Promise<void> {
  const isCounted = sql`${SLICE_OF_CELL} IN (SELECT slice FROM cube_days WHERE ${isOfDay(day)})`;
  await run([lockDay(day), dropStale(day, isCounted)]);
  await run([lockDay(day), ...insertTags(day, isCounted)]);
}

/** Those that are not there, of slices whose other cells are. @param isWanted a condition on cells. */
export function insertTags(day: CubeDay, isWanted: Sql): readonly Sql[] {
  const isMissing = (tag: Sql) =>
    sql`(${tag}, cell.slice) NOT IN (SELECT scope_value, slice FROM click_cube WHERE ${ofTags(day)} AND ${isWanted})`;
  const source = sql`SELECT tag AS place, cell.slice AS into_slice, cell.* ${tagged(day, isWanted)} WHERE ${isMissing(sql`tag`)}`;
  return [
    insertSums(TAG, "link_id", source, day),
    sql`INSERT INTO click_cube (workspace_id, scope, scope_value, day, slice, class, domain_id, clicks, quarter, quarter_clicks)
      SELECT ${day.workspaceId}::uuid, ${TAG}::text, '', ${toTimestamp(day.dayMs)}, slice, class, domain_id,
        sum(clicks), array_agg(quarter), array_agg(clicks)
      FROM (
        SELECT slice, class, domain_id, quarter, sum(number)::integer AS clicks FROM (
          SELECT cell.slice, cell.class, cell.domain_id, unnest(quarter) AS quarter,
            unnest(COALESCE(quarter_clicks, ARRAY[cell.clicks::integer])) AS number
          FROM ${linkCells(day, isWanted)} WHERE COALESCE(links.tags, '{}') = '{}' AND ${isMissing(sql`''::text`)}
        ) AS part GROUP BY 1, 2, 3, 4
      ) AS value GROUP BY slice, class, domain_id`,
  ];
}

const ofTags = (day: CubeDay): Sql => sql`${isOfDay(day)} AND scope = ${TAG}::text`;

/** The cells of links that were clicked on the day, and the links that are still there. */
const linkCells = (day: CubeDay, isWanted: Sql): Sql => sql`
  (SELECT * FROM click_cube WHERE ${isOfDay(day)} AND scope = 'link_id' AND ${isWanted}) AS cell
  LEFT JOIN links ON links.id = cell.scope_value::uuid AND links.workspace_id = ${day.workspaceId}::uuid`;

/** With each tag that they have now. */
const tagged = (day: CubeDay, isWanted: Sql): Sql =>
  sql`FROM ${linkCells(day, isWanted)} CROSS JOIN LATERAL (SELECT DISTINCT unnest(links.tags)) AS of (tag)`;

function dropStale(day: CubeDay, isCounted: Sql): Sql {
  return sql`
  WITH wanted AS (SELECT DISTINCT tag, slice, links.id ${tagged(day, isCounted)}),
    kept AS (SELECT DISTINCT scope_value AS tag, slice, unnest(link_id) AS id FROM click_cube WHERE ${ofTags(day)}),
    stale AS (SELECT tag, slice FROM wanted FULL JOIN kept USING (tag, slice, id) WHERE wanted.id IS NULL OR kept.id IS NULL)
  DELETE FROM click_cube WHERE ${ofTags(day)} AND (scope_value, slice) IN (SELECT tag, slice FROM stale UNION ALL SELECT '', slice FROM stale)`;
}
