/** Filters as SQL. Columns come from the closed list of dimensions; every value is a parameter. */
import { type SQL, sql } from "drizzle-orm";
import { columnOf, type Dimension, type Filter, PLACES } from "../dimension.ts";
import { valueOfEvent } from "../event-values.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A table's column for a dimension. Tags are filtered by link. */
export type ColumnOf = (dimension: Exclude<Dimension, "tag">) => SQL;

/** Of `CLICKS`. */
export const eventColumn: ColumnOf = (dimension) => sql.raw(valueOfEvent(columnOf(dimension)));

/** The conditions of all filters, to be joined by AND. */
export function toConditions(
  workspaceId: string,
  filters: readonly Filter[],
  column: ColumnOf,
): readonly SQL[] {
  return filters.flatMap((filter) => [
    ...(filter.is.length === 0 ? [] : [isAmong(workspaceId, filter.is, locate(filter.dimension, column))]),
    ...(filter.isNot.length === 0
      ? []
      : [sql`NOT ${isAmong(workspaceId, filter.isNot, locate(filter.dimension, column))}`]),
  ]);
}

type Filtered = { readonly dimension: Dimension; readonly column: SQL; readonly ownName: SQL | undefined };

/** Of a single click, a place's own name is a column. */
function locate(dimension: Dimension, column: ColumnOf): Filtered {
  const stored = dimension === "tag" ? "link" : dimension;
  const ownName = column === eventColumn ? sql.raw(columnOf(stored)) : undefined;
  return { dimension, column: column(stored), ownName };
}

/** True or false, never NULL, so that NOT means the rest. */
function isAmong(
  workspaceId: string,
  values: readonly (string | null)[],
  { dimension, column, ownName }: Filtered,
): SQL {
  const known = sql.param(values.filter((value) => value !== null));
  const withUnknown = values.includes(null);
  if (dimension === "link") {
    return isOneOf(column, sql`${known}::uuid[]`, withUnknown);
  }
  if (dimension === "domain") {
    // By host, or by id: a deleted domain has clicks, and no host.
    const ids = sql.param(values.filter((value) => value !== null && UUID.test(value)));
    return isOneOf(
      column,
      sql`ARRAY(SELECT id FROM domains WHERE workspace_id = ${workspaceId}::uuid AND host = ANY(${known}::text[])
        UNION ALL SELECT unnest(${ids}::uuid[]))`,
      withUnknown,
    );
  }
  if (dimension === "tag") {
    const untagged = withUnknown ? sql` OR tags = '{}'` : sql``;
    return sql`(${column} = ANY(ARRAY(SELECT id FROM links
      WHERE workspace_id = ${workspaceId}::uuid AND (tags && ${known}::text[]${untagged}))))`;
  }
  const separator = PLACES[dimension]?.separator;
  const texts = values.map((value) => value ?? "");
  const isAny = (text: SQL, wanted: readonly string[]) =>
    sql`COALESCE(${text}, '') = ANY(${sql.param(wanted)}::text[])`;
  if (separator !== undefined) {
    const name = ownName ?? sql`substr(${column}, strpos(${column}, ${separator}) + 1)`;
    const whole = texts.filter((text) => text.includes(separator));
    const names = whole.map((text) => text.slice(text.indexOf(separator) + 1));
    // A place's own name means every place of that name. It is compared first: it is read faster than the whole is made.
    const isWhole = whole.length === 0 ? sql`` : sql` OR (${isAny(name, names)} AND ${isAny(column, whole)})`;
    return sql`(${isAny(name, texts)}${isWhole})`;
  }
  if (dimension === "destination") {
    return sql`(${isAny(column, texts)})`;
  }
  return withUnknown
    ? sql`(${column} IS NULL OR ${column} = '' OR ${column} = ANY(${known}::text[]))`
    : isOneOf(column, sql`${known}::text[]`, false);
}

function isOneOf(column: SQL, values: SQL, withUnknown: boolean): SQL {
  return withUnknown
    ? sql`(${column} IS NULL OR ${column} = ANY(${values}))`
    : sql`(${column} IS NOT NULL AND ${column} = ANY(${values}))`;
}
