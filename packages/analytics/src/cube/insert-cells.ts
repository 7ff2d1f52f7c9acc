/** The statement that makes the cells of one scope, from the clicks of one slice of a day. */
import { type Sql, sql } from "@hopline/db/sql";
import { CLICKS, valueOfEvent } from "../event-values.ts";
import { CUBE_COLUMNS, QUARTER } from "./cube-columns.ts";
import { type CubeDay, instantOf, isWithin } from "./cube-session.ts";

/** The clicks of a day, or of a slice of it. */
export function selectEvents(from: CubeDay, toMs?: number): Sql {
  return sql`FROM ${CLICKS} WHERE ${isWithin(from, sql`clicked_at`, toMs)}`;
}

/** The quarter of an hour of the UTC day. */
export const QUARTER_OF_CLICK: Sql = sql`(floor(date_part('epoch', clicked_at) / 900)::bigint % 96)`;

/** Of a column of the cube, over `CLICKS`; empty for unknown. The empty column is the workspace. */
export function textOfEvent(column: string): Sql {
  return column === ""
    ? sql`''::text`
    : sql`COALESCE((${column === QUARTER ? QUARTER_OF_CLICK : valueOfEvent(column)})::text, '')`;
}

const namesOf = (columns: readonly string[]): Sql =>
  sql.join(
    columns.map((column) => sql.identifier(column)),
    sql`, `,
  );

export type MadeSlice = {
  readonly day: CubeDay;
  readonly slice: number;
  readonly fromMs: number;
  readonly toMs: number;
};

/**
 * Returns the number of clicks in the cells.
 *
 * Cells are numbered first: grouping by a number and a value takes a quarter of the time of grouping by four texts.
 */
export function insertCells(scope: string, { day, slice, fromMs, toMs }: MadeSlice): Sql {
  const columns = CUBE_COLUMNS.filter((column) => column !== scope);
  const values = columns.map(
    (column) => sql`${textOfEvent(column)} COLLATE "C" AS ${sql.identifier(column)}`,
  );
  const sets = columns.map((column) => sql`(cell, ${sql.identifier(column)})`);
  return sql`
  WITH event AS MATERIALIZED (
    SELECT ${textOfEvent(scope)} AS place, class, domain_id, ${sql.join(values, sql`, `)}
    ${selectEvents({ ...day, dayMs: fromMs }, toMs)}
  ), cell AS MATERIALIZED (
    SELECT row_number() OVER () AS cell, place, class, domain_id, count(*) AS clicks
    FROM event GROUP BY place, class, domain_id
  ), value AS (
    SELECT cell, GROUPING(${namesOf(columns)}) AS dimension, COALESCE(${namesOf(columns)}) AS value,
      count(*)::integer AS clicks
    FROM event JOIN cell USING (place, class, domain_id)
    GROUP BY GROUPING SETS (${sql.join(sets, sql`, `)})
  ), ${insertLists(scope, columns, { day, slice })}`;
}

/**
 * The end of a statement that has the tables `cell` (cell, place, class, domain_id, clicks) and `value` (cell, dimension, value,
 * clicks), where `dimension` is the `dimensionOf` a column.
 */
export function insertLists(
  scope: string,
  columns: readonly string[],
  { day, slice }: Pick<MadeSlice, "day" | "slice">,
): Sql {
  const numbersOf = (column: string) => `${column}_clicks`;
  const names = columns.flatMap((column) => [column, numbersOf(column)]);
  const lists = columns.flatMap((column) => {
    const isColumn = sql`FILTER (WHERE dimension = ${dimensionOf(column, columns)})`;
    return [
      sql`max(members) ${isColumn} AS ${sql.identifier(column)}`,
      sql`max(numbers) ${isColumn} AS ${sql.identifier(numbersOf(column))}`,
    ];
  });
  const made = columns.flatMap((column) => {
    const [members, numbers] = [sql.identifier(column), sql.identifier(numbersOf(column))];
    return [
      column === QUARTER
        ? sql`${members}::smallint[]`
        : column === "link_id"
          ? sql`${members}::uuid[]`
          : sql`NULLIF(${members}, '{""}')`,
      sql`CASE WHEN cardinality(${members}) > 1 THEN ${numbers} END`,
    ];
  });
  return sql`list AS (
    SELECT cell, dimension, array_agg(value) AS members, array_agg(clicks) AS numbers FROM value GROUP BY cell, dimension
  ), wide AS (
    SELECT cell, ${sql.join(lists, sql`, `)} FROM list GROUP BY cell
  ), made AS (
    INSERT INTO click_cube (workspace_id, scope, scope_value, day, slice, class, domain_id, clicks, ${namesOf(names)})
    SELECT ${day.workspaceId}::uuid, ${scope}::text, place, ${instantOf(day.dayMs)}, ${slice}::integer, class, domain_id, clicks,
      ${sql.join(made, sql`, `)}
    FROM cell JOIN wide USING (cell)
    RETURNING clicks
  )
  SELECT COALESCE(sum(clicks), 0)::float8 AS clicks FROM made`;
}

/** What GROUPING of all the columns says where only this one is grouped by. */
export function dimensionOf(column: string, columns: readonly string[]): number {
  return 2 ** columns.length - 1 - 2 ** (columns.length - 1 - columns.indexOf(column));
}
