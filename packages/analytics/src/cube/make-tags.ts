/**
 * Makes the cells of tags of one UTC day from the cells of the links that have them now. A cell lists its links, so that whoever
 * reads it can tell whether they are still the links of its tag.
 */
import { CUBE_COLUMNS, TAG } from "./cube-columns.ts";
import { type CubeDay, IS_OF_DAY, lockDay, type Run } from "./cube-session.ts";
import { dimensionOf, insertLists } from "./insert-cells.ts";

/** Not the number of a slice that could be kept: cells of tags go whenever a slice is made again. */
const SLICE = "-1";

/** The links that were clicked on the day, with each tag that they have now. */
const TAGGED = `
  FROM click_cube AS cell JOIN links ON links.id = cell.scope_value::uuid AND links.workspace_id = $1::uuid
  CROSS JOIN LATERAL (SELECT DISTINCT unnest(links.tags)) AS of (tag)
  WHERE cell.workspace_id = $1::uuid AND cell.scope = 'link_id' AND cell.day = to_timestamp($2::float8 / 1000.0)`;

const DROP_STALE = `
  WITH wanted AS (SELECT DISTINCT tag, links.id ${TAGGED}),
    kept AS (SELECT DISTINCT scope_value AS tag, unnest(link_id) AS id FROM click_cube WHERE ${IS_OF_DAY} AND scope = '${TAG}')
  DELETE FROM click_cube WHERE ${IS_OF_DAY} AND scope = '${TAG}' AND scope_value IN (
    SELECT tag FROM wanted FULL JOIN kept USING (tag, id) WHERE wanted.id IS NULL OR kept.id IS NULL
  )`;

/** Of a day that is whole and has all its clicks, or none. */
const IS_MADE = `(
    SELECT sum(clicks) FILTER (WHERE is_whole) FROM cube_days WHERE ${IS_OF_DAY}
  ) = (
    SELECT sum(clicks) FROM workspace_rollups WHERE workspace_id = $1::uuid
      AND bucket_start >= to_timestamp($2::float8 / 1000.0)
      AND bucket_start < to_timestamp($2::float8 / 1000.0) + interval '24 hours'
  )`;

function insertMissing(): string {
  const lists = CUBE_COLUMNS.map((column) => {
    const dimension = dimensionOf(column, CUBE_COLUMNS);
    return column === "link_id"
      ? `(${dimension}, ARRAY[scope_value], ARRAY[link_cell.clicks::integer])`
      : `(${dimension}, COALESCE(${column}::text[], '{""}'), COALESCE(${column}_clicks, ARRAY[link_cell.clicks::integer]))`;
  });
  const read = CUBE_COLUMNS.filter((column) => column !== "link_id").flatMap((name) => [
    name,
    `${name}_clicks`,
  ]);
  return `
  WITH link_cell AS MATERIALIZED (
    SELECT tag, class, cell.domain_id, clicks, scope_value, ${read.map((column) => `cell.${column}`).join(", ")}
    ${TAGGED} AND ${IS_MADE}
      AND tag NOT IN (SELECT scope_value FROM click_cube WHERE ${IS_OF_DAY} AND scope = '${TAG}')
  ), cell AS MATERIALIZED (
    SELECT row_number() OVER () AS cell, tag AS place, class, domain_id, sum(clicks)::bigint AS clicks
    FROM link_cell GROUP BY tag, class, domain_id
  ), value AS (
    SELECT cell, dimension, value COLLATE "C" AS value, sum(number)::integer AS clicks
    FROM link_cell JOIN cell ON place = tag AND cell.class = link_cell.class AND cell.domain_id = link_cell.domain_id
    CROSS JOIN LATERAL (VALUES ${lists.join(", ")}) AS list (dimension, members, numbers)
    CROSS JOIN LATERAL unnest(members, numbers) AS one (value, number)
    GROUP BY 1, 2, 3
  ), ${insertLists(TAG, CUBE_COLUMNS, SLICE)}`;
}

/** Two transactions, because the live stream waits for those that have written, and the second takes longer. */
export async function makeTags(run: Run, day: CubeDay): Promise<void> {
  const parameters = [day.workspaceId, day.dayMs];
  for (const text of [DROP_STALE, insertMissing()]) {
    await run([lockDay(day), { text, parameters }]);
  }
}
