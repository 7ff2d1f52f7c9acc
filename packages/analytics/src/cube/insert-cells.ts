/** The statements that make the cells of one slice of a day: from its clicks, and from other cells. */
import { type Sql, sql } from "@hopline/db/sql";
import { QUARTER_MS } from "../calendar.ts";
import { columnOf, TEXT_DIMENSIONS } from "../dimension.ts";
import { CLICKS, valueOfEvent } from "../event-values.ts";
import { toTimestamp } from "../instant.ts";
import { CUBE_COLUMNS, QUARTER } from "./cube-columns.ts";
import type { CubeDay } from "./cube-session.ts";
import { FIRST_OPEN_SLICE, type Slice } from "./plan-day.ts";

/** FROM the clicks of a slice. OFFSET 0: each span is looked up by an index. */
export function selectEvents(
  { workspaceId, dayMs }: CubeDay,
  { spans, untilXid }: Pick<Slice, "spans" | "untilXid">,
): Sql {
  const atOf = (quarter: number) => new Date(dayMs + quarter * QUARTER_MS).toISOString();
  return sql`FROM unnest(${spans.map(({ from }) => atOf(from))}::timestamptz[], ${spans.map(({ end }) => atOf(end))}::timestamptz[],
      ${spans.map(({ fromXid }) => fromXid)}::bigint[]) AS span (from_at, to_at, from_xid)
    CROSS JOIN LATERAL (SELECT * FROM ${CLICKS} WHERE workspace_id = ${workspaceId}::uuid AND clicked_at >= from_at AND clicked_at < to_at
      AND inserted_xid >= from_xid AND inserted_xid < ${untilXid}::bigint OFFSET 0) AS click_events`;
}

/** The quarter of an hour of the UTC day. */
export const QUARTER_OF_CLICK: Sql = sql`(floor(date_part('epoch', clicked_at) / 900)::bigint % 96)`;

/** Of a column of the cube, over `CLICKS`; empty for unknown. The empty column is the workspace. */
export function textOfEvent(column: string): Sql {
  return column === ""
    ? sql`''::text`
    : sql`COALESCE((${column === QUARTER ? QUARTER_OF_CLICK : valueOfEvent(column)})::text, '')`;
}

const TEXT_COLUMNS = TEXT_DIMENSIONS.map(columnOf).filter((column) => column !== "destination");

const list = (parts: readonly Sql[]): Sql => sql.join(parts, sql`, `);
const namesOf = (columns: readonly string[]): Sql => list(columns.map((column) => sql.identifier(column)));

export type MadeSlice = Slice & {
  /** Those that have values in the slice. */
  readonly known: readonly string[];
  /** FROM clicks that are counted below zero, in place of those of the spans. */
  readonly subtracted?: Sql;
};

/** Counts the values of each column that may have none, as many workspaces have no rules, variants or campaigns. */
export function countValues(day: CubeDay, slice: Slice): Sql {
  const counts = TEXT_COLUMNS.map(
    (column) => sql`count(${sql.identifier(column)})::float8 AS ${sql.identifier(column)}`,
  );
  return sql`SELECT ${list(counts)} ${selectEvents(day, slice)}`;
}

/**
 * The cells of scopes that are columns. Nothing is written before all of them are counted, because they are sorted.
 *
 * Cells are numbered first: grouping by a number and a value takes a quarter of the time of grouping by four texts.
 */
export function insertCells(
  scopes: readonly string[],
  day: CubeDay,
  { known, subtracted, ...slice }: MadeSlice,
): Sql {
  const number = subtracted === undefined ? sql`count(*)` : sql`-count(*)`;
  const values = CUBE_COLUMNS.map(
    (column) => sql`${textOfEvent(column)} COLLATE "C" AS ${sql.identifier(column)}`,
  );
  const made = scopes.map((scope) => {
    const place = sql.identifier(scope);
    const columns = known.filter((column) => column !== scope);
    const sets = columns.map((column) => sql`(cell, ${sql.identifier(column)})`);
    return sql`(
      WITH cell AS MATERIALIZED (
        SELECT row_number() OVER () AS cell, ${place} AS place, class, domain_id, slice, ${number} AS clicks
        FROM event GROUP BY ${place}, class, domain_id, slice
      ), value AS (
        SELECT cell, GROUPING(${namesOf(columns)}) AS dimension, COALESCE(${namesOf(columns)}) AS value,
          (${number})::integer AS clicks
        FROM event JOIN cell ON place = ${place} AND cell.class = event.class AND cell.domain_id = event.domain_id
          AND cell.slice = event.slice
        GROUP BY GROUPING SETS (${list(sets)})
      ) ${selectCells(scope, columns)}
    )`;
  });
  return sql`
  WITH event AS MATERIALIZED (
    SELECT class, domain_id, ${slice.isOpen ? sql`${slice.slice}::integer + ${QUARTER_OF_CLICK}::integer` : sql`${slice.slice}::integer`} AS slice,
      ${list(values)} ${subtracted ?? selectEvents(day, slice)}
  ), ${insertMade(sql.join(made, sql` UNION ALL `), day)}`;
}

/**
 * Cells that are sums of others: of all, of a tag, or of the same place in several slices.
 *
 * @param by the scope of those that are added, unless it is the same.
 * @param source SELECT of cells, with the `place` and the slice `into_slice` that each is added to.
 */
export function insertSums(scope: string, by: string | null, source: Sql, day: CubeDay): Sql {
  const lists = CUBE_COLUMNS.map((column) => {
    const members = column === by ? sql`ARRAY[scope_value]` : sql`${sql.identifier(column)}::text[]`;
    const numbers = column === by ? sql`NULL` : sql.identifier(`${column}_clicks`);
    return sql`(${dimensionOf(column, CUBE_COLUMNS)}, COALESCE(${members}, '{""}'), COALESCE(${numbers}, ARRAY[part.clicks::integer]))`;
  });
  return sql`
  WITH part AS MATERIALIZED (${source}
  ), cell AS MATERIALIZED (
    SELECT row_number() OVER () AS cell, place, class, domain_id, into_slice AS slice, sum(clicks)::bigint AS clicks
    FROM part GROUP BY place, class, domain_id, into_slice HAVING sum(clicks) <> 0
  ), value AS (
    SELECT cell, dimension, value COLLATE "C" AS value, sum(clicks)::integer AS clicks FROM (
      SELECT cell, dimension, unnest(members) AS value, unnest(numbers) AS clicks
      FROM part JOIN cell ON cell.place = part.place AND cell.class = part.class AND cell.domain_id = part.domain_id
        AND cell.slice = into_slice
      CROSS JOIN LATERAL (VALUES ${list(lists)}) AS list (dimension, members, numbers)
    ) AS one GROUP BY 1, 2, 3 HAVING sum(clicks) <> 0
  ), ${insertMade(selectCells(scope, CUBE_COLUMNS), day)}`;
}

/** What GROUPING of all the columns says where only this one is grouped by. */
function dimensionOf(column: string, columns: readonly string[]): Sql {
  return sql`${2 ** columns.length - 1 - 2 ** (columns.length - 1 - columns.indexOf(column))}::integer`;
}

/** SELECT from tables `cell` (cell, place, class, domain_id, slice, clicks) and `value` (cell, dimension, value, clicks). */
function selectCells(scope: string, columns: readonly string[]): Sql {
  const lists = CUBE_COLUMNS.flatMap((column) => {
    const isColumn = sql`FILTER (WHERE dimension = ${dimensionOf(column, columns)})`;
    const [members, numbers] = columns.includes(column)
      ? [sql`array_agg(value) ${isColumn}`, sql`array_agg(clicks) ${isColumn}`]
      : [sql`NULL::text[]`, sql`NULL::integer[]`];
    return [
      sql`${members} AS ${sql.identifier(column)}`,
      sql`${numbers} AS ${sql.identifier(`${column}_clicks`)}`,
    ];
  });
  return sql`SELECT ${scope}::text AS scope, place, class, domain_id, slice, cell.clicks, wide.*
    FROM cell JOIN (SELECT cell, ${list(lists)} FROM value GROUP BY cell) AS wide USING (cell)`;
}

/** The end of a statement. Counts the clicks of the cells by scope. */
function insertMade(cells: Sql, day: CubeDay): Sql {
  const columns = CUBE_COLUMNS.flatMap((column) => [column, `${column}_clicks`]);
  const arrays = CUBE_COLUMNS.flatMap((column) => {
    const [members, numbers] = [sql.identifier(column), sql.identifier(`${column}_clicks`)];
    const known = sql`NULLIF(${members}, '{""}')`;
    const value = {
      [QUARTER]: sql`CASE WHEN slice < ${FIRST_OPEN_SLICE} THEN ${known}::smallint[]
        WHEN scope <> ${QUARTER}::text THEN ARRAY[slice % 96]::smallint[] END`,
      link_id: sql`${known}::uuid[]`,
    }[column];
    return [value ?? known, sql`CASE WHEN cardinality(${members}) > 1 THEN ${numbers} END`];
  });
  return sql`made AS (
    INSERT INTO click_cube (workspace_id, day, slice, scope, scope_value, class, domain_id, clicks, ${namesOf(columns)})
    SELECT ${day.workspaceId}::uuid, ${toTimestamp(day.dayMs)}, slice, scope, place, class, domain_id, clicks,
      ${list(arrays)}
    FROM (${cells}) AS cell ORDER BY scope, place
    RETURNING scope, clicks
  )
  SELECT scope, sum(clicks)::float8 AS clicks FROM made GROUP BY scope`;
}
