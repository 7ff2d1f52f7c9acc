/** Filters as SQL. Columns come from the closed list of dimensions, every value is a parameter. */
import { type SQL, sql } from "drizzle-orm";
import { columnOf, type Filter } from "./dimension.ts";

/** The conditions of all filters, to be joined by AND, for a table that has the columns of `click_events`. */
export function toConditions(workspaceId: string, filters: readonly Filter[]): readonly SQL[] {
  return filters.flatMap((filter) => [
    ...(filter.is.length === 0 ? [] : [isAmong(workspaceId, filter, filter.is)]),
    ...(filter.isNot.length === 0 ? [] : [sql`NOT ${isAmong(workspaceId, filter, filter.isNot)}`]),
  ]);
}

/** True or false, never NULL, so that NOT means the rest. */
function isAmong(workspaceId: string, { dimension }: Filter, values: readonly (string | null)[]): SQL {
  const known = sql.param(values.filter((value) => value !== null));
  const withUnknown = values.includes(null);
  if (dimension === "link") {
    return isOneOf(sql`link_id`, sql`${known}::uuid[]`, withUnknown);
  }
  if (dimension === "domain") {
    return isOneOf(
      sql`domain_id`,
      sql`ARRAY(SELECT id FROM domains WHERE workspace_id = ${workspaceId}::uuid AND host = ANY(${known}::text[]))`,
      withUnknown,
    );
  }
  if (dimension === "tag") {
    const untagged = withUnknown ? sql` OR tags = '{}'` : sql``;
    return sql`(link_id = ANY(ARRAY(SELECT id FROM links
      WHERE workspace_id = ${workspaceId}::uuid AND (tags && ${known}::text[]${untagged}))))`;
  }
  const column = sql.raw(columnOf(dimension));
  return withUnknown
    ? sql`(${column} IS NULL OR ${column} = '' OR ${column} = ANY(${known}::text[]))`
    : isOneOf(column, sql`${known}::text[]`, false);
}

function isOneOf(column: SQL, values: SQL, withUnknown: boolean): SQL {
  return withUnknown
    ? sql`(${column} IS NULL OR ${column} = ANY(${values}))`
    : sql`(${column} IS NOT NULL AND ${column} = ANY(${values}))`;
}
