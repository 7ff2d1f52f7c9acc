/**
 * Makes the cells of tags of one UTC day from the cells of the links that have them now. A cell lists its links, so that a question that
 * reads it can tell whether they are still the links of its tag.
 *
 * Links without a tag have a cell with an empty name, which has only the quarters of an hour. Every day that is made has it, even of no
 * clicks: then it has those of all tags.
 */
import { type Sql, sql } from "@hopline/db/sql";
import { toTimestamp } from "../instant.ts";
import { TAG } from "./cube-columns.ts";
import { type CubeDay, isOfDay, isWithin, lockDay, type Run, SLICE_OF_CELL } from "./cube-session.ts";
import { insertSums } from "./insert-cells.ts";

/** Not the number of a slice that could be kept: cells of tags go whenever a slice is made again. */
export const TAG_SLICE = -1;

/** Two transactions, because the live stream waits for those that have written, and the second takes longer. */
export async function makeTags(run: Run, day: CubeDay): Promise<void> {
  await run([lockDay(day), dropStale(day)]);
  await run([lockDay(day), insertMissing(day), insertUntagged(day)]);
}

const ofTags = (day: CubeDay): Sql => sql`${isOfDay(day)} AND scope = ${TAG}::text`;

/** The cells of links that were clicked on the day, and the links that are still there. */
const linkCells = ({ workspaceId, dayMs }: CubeDay): Sql => sql`
  (SELECT * FROM click_cube WHERE workspace_id = ${workspaceId}::uuid AND scope = 'link_id' AND day = ${toTimestamp(dayMs)}
    AND ${SLICE_OF_CELL} IN (SELECT slice FROM cube_days WHERE ${isOfDay({ workspaceId, dayMs })})) AS cell
  LEFT JOIN links ON links.id = cell.scope_value::uuid AND links.workspace_id = ${workspaceId}::uuid`;

/** With each tag that they have now. */
const tagged = (day: CubeDay): Sql =>
  sql`FROM ${linkCells(day)} CROSS JOIN LATERAL (SELECT DISTINCT unnest(links.tags)) AS of (tag)`;

function dropStale(day: CubeDay): Sql {
  return sql`
  WITH wanted AS (SELECT DISTINCT tag, links.id ${tagged(day)}),
    kept AS (SELECT DISTINCT scope_value AS tag, unnest(link_id) AS id FROM click_cube WHERE ${ofTags(day)}),
    stale AS (SELECT tag FROM wanted FULL JOIN kept USING (tag, id) WHERE wanted.id IS NULL OR kept.id IS NULL)
  DELETE FROM click_cube WHERE ${ofTags(day)} AND (scope_value IN (SELECT tag FROM stale) OR scope_value = '' AND EXISTS (SELECT FROM stale))`;
}

/** A day that has all its clicks, or none. */
const isMade = (day: CubeDay): Sql => sql`
  (SELECT sum(clicks) FROM cube_days WHERE ${isOfDay(day)})
    = (SELECT sum(clicks) FROM workspace_rollups WHERE ${isWithin(day, sql`bucket_start`)})`;

const insertMissing = (day: CubeDay): Sql =>
  insertSums(
    TAG,
    "link_id",
    sql`SELECT tag AS place, ${TAG_SLICE}::integer AS into_slice, cell.* ${tagged(day)}
      WHERE ${isMade(day)} AND tag NOT IN (SELECT scope_value FROM click_cube WHERE ${ofTags(day)})`,
    day,
  );

function insertUntagged(day: CubeDay): Sql {
  return sql`
  WITH value AS (
    SELECT class, domain_id, quarter, sum(number)::integer AS clicks FROM (
      SELECT cell.class, cell.domain_id, unnest(quarter) AS quarter,
        unnest(COALESCE(quarter_clicks, ARRAY[cell.clicks::integer])) AS number
      FROM ${linkCells(day)} WHERE COALESCE(links.tags, '{}') = '{}'
    ) AS part GROUP BY 1, 2, 3
  )
  INSERT INTO click_cube (workspace_id, scope, scope_value, day, slice, class, domain_id, clicks, quarter, quarter_clicks)
  SELECT ${day.workspaceId}::uuid, ${TAG}::text, '', ${toTimestamp(day.dayMs)}, ${TAG_SLICE}::integer, class, domain_id,
    COALESCE(sum(value.clicks), 0), COALESCE(array_agg(quarter) FILTER (WHERE quarter IS NOT NULL), '{}'),
    COALESCE(array_agg(value.clicks) FILTER (WHERE quarter IS NOT NULL), '{}')
  FROM (SELECT DISTINCT class, domain_id FROM click_cube WHERE ${isOfDay(day)} AND scope = '') AS every
  LEFT JOIN value USING (class, domain_id)
  WHERE ${isMade(day)} AND NOT EXISTS (SELECT FROM click_cube WHERE ${ofTags(day)} AND scope_value = '')
  GROUP BY class, domain_id`;
}
