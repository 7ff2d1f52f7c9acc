/** The statement that makes the cells of one scope, from the clicks of one slice of a day. */
import { CLICKS, valueOfEvent } from "../event-values.ts";
import { CUBE_COLUMNS, QUARTER } from "./cube-columns.ts";

/** `$1`: workspace. `$2`, `$3`: from inclusive, to exclusive; epoch milliseconds. */
export const SLICE_EVENTS = `
  FROM ${CLICKS} WHERE workspace_id = $1::uuid
    AND clicked_at >= to_timestamp($2::float8 / 1000.0) AND clicked_at < to_timestamp($3::float8 / 1000.0)`;

/** The quarter of an hour of the UTC day. */
export const QUARTER_OF_CLICK = `(floor(date_part('epoch', clicked_at) / 900)::bigint % 96)`;

const TYPES: Readonly<Record<string, string>> = { [QUARTER]: "smallint[]", link_id: "uuid[]" };

/**
 * `$4`: the slice's number. Returns the number of clicks in the cells.
 *
 * Cells are numbered first: grouping by a number and a value takes a quarter of the time of grouping by four texts.
 */
export function insertCells(scope: string): string {
  const columns = CUBE_COLUMNS.filter((column) => column !== scope);
  const values = columns.map((column) => `${textOf(column)} COLLATE "C" AS ${column}`);
  return `
  WITH event AS MATERIALIZED (
    SELECT ${scope === "" ? "''::text" : textOf(scope)} AS place, class, domain_id, ${values.join(", ")} ${SLICE_EVENTS}
  ), cell AS MATERIALIZED (
    SELECT row_number() OVER () AS cell, place, class, domain_id, count(*) AS clicks
    FROM event GROUP BY place, class, domain_id
  ), value AS (
    SELECT cell, GROUPING(${columns.join(", ")}) AS dimension, COALESCE(${columns.join(", ")}) AS value,
      count(*)::integer AS clicks
    FROM event JOIN cell USING (place, class, domain_id)
    GROUP BY GROUPING SETS (${columns.map((column) => `(cell, ${column})`).join(", ")})
  ), ${insertLists(scope, columns, "$4::integer")}`;
}

/**
 * The end of a statement that has the tables `cell` (cell, place, class, domain_id, clicks) and `value` (cell, dimension, value,
 * clicks), where `dimension` is the `dimensionOf` a column. `$1`: workspace; `$2`: an instant of the day.
 */
export function insertLists(scope: string, columns: readonly string[], slice: string): string {
  const pick = (what: string, column: string) =>
    `max(${what}) FILTER (WHERE dimension = ${dimensionOf(column, columns)})`;
  return `list AS (
    SELECT cell, dimension, array_agg(value) AS members, array_agg(clicks) AS numbers FROM value GROUP BY cell, dimension
  ), wide AS (
    SELECT cell, ${columns
      .map(
        (column) => `${pick("members", column)} AS ${column}, ${pick("numbers", column)} AS ${column}_clicks`,
      )
      .join(", ")}
    FROM list GROUP BY cell
  ), made AS (
    INSERT INTO click_cube (workspace_id, scope, scope_value, day, slice, class, domain_id, clicks,
      ${columns.map((column) => `${column}, ${column}_clicks`).join(", ")})
    SELECT $1::uuid, '${scope}', place, date_bin('24 hours', to_timestamp($2::float8 / 1000.0), 'epoch'), ${slice},
      class, domain_id, clicks,
      ${columns
        .map((column) => {
          const type = TYPES[column];
          const members = type === undefined ? `NULLIF(${column}, '{""}')` : `${column}::${type}`;
          return `${members}, CASE WHEN cardinality(${column}) > 1 THEN ${column}_clicks END`;
        })
        .join(", ")}
    FROM cell JOIN wide USING (cell)
    RETURNING clicks
  )
  SELECT COALESCE(sum(clicks), 0)::float8 AS clicks FROM made`;
}

/** What GROUPING of all the columns says where only this one is grouped by. */
export function dimensionOf(column: string, columns: readonly string[]): number {
  return 2 ** columns.length - 1 - 2 ** (columns.length - 1 - columns.indexOf(column));
}

function textOf(column: string): string {
  return `COALESCE((${column === QUARTER ? QUARTER_OF_CLICK : valueOfEvent(column)})::text, '')`;
}
