/** Filters as SQL. Columns come from the closed list of dimensions; every value is a parameter. */
import { isWithin } from "@hopline/db/links/bounds";
import { type Sql, sql } from "@hopline/db/sql";
import { BOUND, type ClickDimension, columnOf, type Dimension, type Filter, PLACES } from "../dimension.ts";
import { valueOfEvent } from "../event-values.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A table's column for a dimension. Tags are filtered by link. */
export type ColumnOf = (dimension: ClickDimension) => Sql;

/** Of `CLICKS`. */
export const eventColumn: ColumnOf = (dimension) => valueOfEvent(columnOf(dimension));

/** The conditions of all filters, to be joined by AND. */
export function toConditions(
  workspaceId: string,
  filters: readonly Filter[],
  columnIn: ColumnOf,
): readonly Sql[] {
  return filters.flatMap(({ dimension, is, isNot, bounds = [] }) => {
    if (dimension === BOUND) {
      const links = selectWithin(workspaceId, isWithin(bounds));
      return [sql`(${columnIn("link")} = ANY(ARRAY(${links})))`];
    }
    const among = (values: Filter["is"]) => isAmong({ workspaceId, dimension, columnIn }, values);
    return [
      ...(is.length === 0 ? [] : [among(is)]),
      ...(isNot.length === 0 ? [] : [sql`NOT ${among(isNot)}`]),
    ];
  });
}

function selectWithin(workspaceId: string, condition: Sql | null): Sql {
  return sql`SELECT id FROM links WHERE workspace_id = ${workspaceId}::uuid AND ${condition ?? sql`true`}`;
}

type Filtered = { readonly dimension: Dimension; readonly workspaceId: string; readonly columnIn: ColumnOf };

/** True or false, never NULL, so that NOT means the rest. */
function isAmong({ workspaceId, dimension, columnIn }: Filtered, values: Filter["is"]): Sql {
  const column = columnIn(dimension === "tag" ? "link" : dimension);
  const known = values.filter((value) => value !== null);
  const withUnknown = values.includes(null);
  const isOneOf = (wanted: Sql, isUnknown = sql`${column} IS NULL`) =>
    withUnknown
      ? sql`(${isUnknown} OR ${column} = ANY(${wanted}))`
      : sql`(${column} IS NOT NULL AND ${column} = ANY(${wanted}))`;
  if (dimension === "link") {
    return isOneOf(sql`${known}::uuid[]`);
  }
  if (dimension === "domain") {
    // By host, or by id: a deleted domain has clicks, and no host.
    return isOneOf(sql`ARRAY(
      SELECT id FROM domains WHERE workspace_id = ${workspaceId}::uuid AND host = ANY(${known}::text[])
      UNION ALL SELECT unnest(${known.filter((value) => UUID.test(value))}::uuid[]))`);
  }
  if (dimension === "tag") {
    const untagged = withUnknown ? sql` OR tags = '{}'` : sql``;
    return sql`(${column} = ANY(ARRAY(SELECT id FROM links
      WHERE workspace_id = ${workspaceId}::uuid AND (tags && ${known}::text[]${untagged}))))`;
  }
  const texts = values.map((value) => value ?? "");
  const isAny = (text: Sql, wanted: readonly string[]) => sql`COALESCE(${text}, '') = ANY(${wanted}::text[])`;
  const separator = PLACES[dimension]?.separator;
  if (separator === undefined) {
    return dimension === "destination"
      ? sql`(${isAny(column, texts)})`
      : isOneOf(sql`${known}::text[]`, sql`${column} IS NULL OR ${column} = ''`);
  }
  // A place's own name means every place of that name; of a single click it is a column. It is compared first: it is read faster
  // than the whole is made.
  const name =
    columnIn === eventColumn
      ? sql.identifier(columnOf(dimension))
      : sql`substr(${column}, strpos(${column}, ${separator}) + 1)`;
  const whole = texts.filter((text) => text.includes(separator));
  const names = whole.map((text) => text.slice(text.indexOf(separator) + 1));
  const isWhole = whole.length === 0 ? sql`` : sql` OR (${isAny(name, names)} AND ${isAny(column, whole)})`;
  return sql`(${isAny(name, texts)}${isWhole})`;
}
