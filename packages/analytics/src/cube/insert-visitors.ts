/**
 * The statements that count the visitors of a day: by the quarter of an hour in which each came first and last, for the workspace, each
 * country and each link.
 */
import { type Sql, sql } from "@hopline/db/sql";
import { toTimestamp } from "../instant.ts";
import { type CubeDay, isOfDay } from "./cube-session.ts";
import { QUARTER_OF_CLICK, selectEvents, textOfEvent } from "./insert-cells.ts";
import { ALL_CLICKS, type Slice } from "./plan-day.ts";

/** Empty: the workspace. */
export const VISITOR_SCOPES: readonly string[] = ["", "country", "link_id"];

/** When a visitor came, by (visitor, link, country): of clicks, and of rows of cube_visits. */
const EDGES = sql`min(first) AS first, max(last) AS last, min(first_human) AS first_human, max(last_human) AS last_human`;
const COLUMNS = sql`visitor, link_id, country, first, last, first_human, last_human`;
const IN_SCOPE = sql`CASE 0 WHEN GROUPING(country) THEN 'country' WHEN GROUPING(link_id) THEN 'link_id' ELSE '' END AS scope,
      COALESCE(country, link_id::text, '') AS place`;
const SCOPES = sql`GROUPING SETS ((visitor), (country, visitor), (link_id, visitor))`;

const selectVisits = (
  day: CubeDay,
  slice: Pick<Slice, "spans" | "untilXid">,
  isWanted = sql`true`,
): Sql => sql`
    SELECT visitor, link_id, country, min(quarter) AS first, max(quarter) AS last,
      min(quarter) FILTER (WHERE class = 'human') AS first_human, max(quarter) FILTER (WHERE class = 'human') AS last_human
    FROM (
      SELECT visitor, link_id, ${textOfEvent("country")} COLLATE "C" AS country, class, ${QUARTER_OF_CLICK}::smallint AS quarter
      ${selectEvents(day, slice)} WHERE visitor IS NOT NULL AND ${isWanted}
    ) AS event GROUP BY 1, 2, 3`;

/** All of a day that is over, in place of what was counted before. */
export function replaceVisitors(day: CubeDay, slice: Slice, clicks: number): readonly Sql[] {
  const counted = sql`seen AS MATERIALIZED (
    SELECT ${IN_SCOPE}, ${EDGES} FROM (${selectVisits(day, slice)}) AS visit GROUP BY ${SCOPES}
  ), counted AS (
    SELECT scope, place, GROUPING(last, last_human) = 3 AS is_first, GROUPING(first, last) = 3 AS of_humans,
      COALESCE(first, last, first_human, last_human) AS quarter, count(*)::integer AS visitors
    FROM seen
    GROUP BY scope, place, GROUPING SETS (first, last, first_human, last_human)
  )`;
  return takePlace(counted, day, slice, clicks);
}

/** The same, of slices that have the visitors of all clicks. */
export function sumVisitors(day: CubeDay, slice: Slice, clicks: number): readonly Sql[] {
  const edges = [true, false].map((isFirst) => {
    const list = isFirst ? sql`first_quarters, first_visitors` : sql`last_quarters, last_visitors`;
    return sql`SELECT scope, scope_value AS place, ${isFirst}::boolean AS is_first, of_humans, quarter, sum(number)::integer AS visitors
      FROM cube_visitors CROSS JOIN LATERAL unnest(${list}) AS one (quarter, number)
      WHERE ${isOfDay(day)} GROUP BY 1, 2, 4, 5 HAVING sum(number) <> 0`;
  });
  return takePlace(sql`counted AS (${sql.join(edges, sql` UNION ALL `)})`, day, slice, clicks);
}

function takePlace(counted: Sql, day: CubeDay, slice: Slice, clicks: number): readonly Sql[] {
  return [
    insertCounted(counted, day, slice, clicks),
    sql`DELETE FROM cube_visitors WHERE ${isOfDay(day)} AND slice <> ${slice.slice}::integer`,
    sql`DELETE FROM cube_visits WHERE ${isOfDay(day)}`,
  ];
}

/** What an open slice changes: as numbers that are added to those before. */
export function addVisitors(day: CubeDay, slice: Slice, clicks: number): Sql {
  const kept = sql`kept AS (
    INSERT INTO cube_visits AS kept (workspace_id, day, ${COLUMNS})
    SELECT ${day.workspaceId}::uuid, ${toTimestamp(day.dayMs)}, ${COLUMNS} FROM fresh WHERE (SELECT count(*) FROM counted) >= 0
    ORDER BY visitor
    ON CONFLICT (workspace_id, day, visitor, link_id, country) DO UPDATE SET
      first = LEAST(kept.first, excluded.first), last = GREATEST(kept.last, excluded.last),
      first_human = LEAST(kept.first_human, excluded.first_human), last_human = GREATEST(kept.last_human, excluded.last_human)
  )`;
  const counted = countChanges({
    fresh: selectVisits(day, slice),
    known: knownVisits(day, sql`true`),
    sign: 1,
  });
  return insertCounted(sql`${counted}, ${kept}`, day, slice, clicks);
}

/** OFFSET 0: each visitor is looked up by an index; without it, the planner may compare each with every visit of the day. */
const knownVisits = (day: CubeDay, isWanted: Sql): Sql => sql`
    SELECT kept.* FROM (SELECT visitor FROM fresh GROUP BY 1 ORDER BY 1 OFFSET 0) AS one CROSS JOIN LATERAL (
      SELECT * FROM cube_visits WHERE ${isOfDay(day)} AND cube_visits.visitor = one.visitor AND ${isWanted} OFFSET 0
    ) AS kept`;

/**
 * What a day loses with a link: what its visits would have added.
 *
 * @param isCounted whether the day's visitors are also those of a click: not of one that came late. `null`: visits of the day are kept.
 */
export function subtractVisits(
  day: CubeDay,
  slice: Slice,
  linkId: string,
  isCounted: Sql | null,
): readonly Sql[] {
  const isOfLink = sql`link_id = ${linkId}::uuid`;
  const [fresh, known] =
    isCounted === null
      ? [
          sql`SELECT * FROM cube_visits WHERE ${isOfDay(day)} AND ${isOfLink}`,
          knownVisits(day, sql`NOT ${isOfLink}`),
        ]
      : [
          selectVisits(day, ALL_CLICKS, sql`${isOfLink} AND ${isCounted}`),
          selectVisits(
            day,
            ALL_CLICKS,
            sql`NOT ${isOfLink} AND ${isCounted} AND visitor IN (SELECT visitor FROM fresh)`,
          ),
        ];
  return [
    insertCounted(countChanges({ fresh, known, sign: -1 }), day, slice, 0),
    sql`DELETE FROM cube_visits WHERE ${isOfDay(day)} AND ${isOfLink}`,
  ];
}

/** Says of how many clicks fewer the visitors are. */
export function insertNoVisitors(day: CubeDay, slice: Slice, clicks: number): Sql {
  const nothing = sql`counted AS (SELECT '' AS scope, '' AS place, true AS is_first, true AS of_humans, 0 AS quarter, 0 AS visitors LIMIT 0)`;
  return insertCounted(nothing, day, slice, clicks);
}

type Changes = { readonly fresh: Sql; readonly known: Sql; readonly sign: 1 | -1 };

function countChanges({ fresh, known, sign }: Changes): Sql {
  const names = ["first", "last", "first_human", "last_human"];
  const changes = names.map((name) => {
    const edge = sql.identifier(name);
    const least = name.startsWith("first") ? sql`min` : sql`max`;
    return sql`NULLIF(${least}(${edge}) FILTER (WHERE NOT is_new), ${least}(${edge})) AS ${sql.identifier(`${name}_before`)},
      NULLIF(${least}(${edge}), ${least}(${edge}) FILTER (WHERE NOT is_new)) AS ${sql.identifier(`${name}_after`)}`;
  });
  const lines = names.flatMap((name) =>
    [-1, 1].map(
      (change) =>
        sql`(${name.startsWith("first")}::boolean, ${name.endsWith("human")}::boolean, ${sql.identifier(`${name}_${change < 0 ? "before" : "after"}`)}, ${sign * change}::integer)`,
    ),
  );
  return sql`fresh AS MATERIALIZED (${fresh}
  ), known AS MATERIALIZED (${known}
  ), seen AS (
    SELECT ${IN_SCOPE}, ${sql.join(changes, sql`, `)}
    FROM (SELECT true AS is_new, ${COLUMNS} FROM fresh UNION ALL SELECT false, ${COLUMNS} FROM known) AS visit GROUP BY ${SCOPES}
  ), counted AS MATERIALIZED (
    SELECT scope, place, is_first, of_humans, quarter, sum(change)::integer AS visitors
    FROM seen CROSS JOIN LATERAL (VALUES ${sql.join(lines, sql`, `)}) AS line (is_first, of_humans, quarter, change)
    WHERE quarter IS NOT NULL GROUP BY 1, 2, 3, 4, 5
  )`;
}

/** The workspace has rows even without visitors. */
function insertCounted(counted: Sql, day: CubeDay, { slice }: Slice, clicks: number): Sql {
  const listOf = (column: Sql, isFirst: boolean) =>
    sql`COALESCE(array_agg(${column}) FILTER (WHERE is_first = ${isFirst}), '{}')`;
  const edges = [true, false].map(
    (isFirst) => sql`${listOf(sql`quarter`, isFirst)}, ${listOf(sql`visitors`, isFirst)}`,
  );
  return sql`
  WITH ${counted}
  INSERT INTO cube_visitors (workspace_id, scope, scope_value, of_humans, day, slice, day_clicks,
    first_quarters, first_visitors, last_quarters, last_visitors)
  SELECT ${day.workspaceId}::uuid, scope, place, of_humans, ${toTimestamp(day.dayMs)}, ${slice}::integer, ${clicks}::bigint,
    ${sql.join(edges, sql`, `)}
  FROM (
    SELECT scope, place, is_first, of_humans, quarter, visitors FROM counted WHERE quarter IS NOT NULL
    UNION ALL SELECT '', '', NULL, of_humans, 0, 0 FROM (VALUES (false), (true)) AS kind (of_humans)
  ) AS one GROUP BY scope, place, of_humans`;
}
