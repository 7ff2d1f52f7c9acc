/** The rows of the events themselves, and what stands in `value` of a row of any table. */
import { type SQL, sql } from "drizzle-orm";
import type { ColumnOf } from "./conditions.ts";
import type { Dimension } from "./dimension.ts";
import type { Needs } from "./source.ts";

/** Counted where they are read if only their number matters: to hand on millions of rows costs as much as to find them. */
export function selectEvents(value: SQL, conditions: readonly SQL[], { visitors, instants }: Needs): SQL {
  const where = sql.join([...conditions], sql` AND `);
  return visitors || instants
    ? sql`SELECT clicked_at AS at, 1::bigint AS clicks, ${value} AS value,
        ${visitors ? sql`visitor` : sql`NULL::uuid`} AS visitor FROM click_events WHERE ${where}`
    : sql`SELECT NULL::timestamptz AS at, count(*) AS clicks, ${value} AS value, NULL::uuid AS visitor
        FROM click_events WHERE ${where} GROUP BY 3`;
}

export function valueOf(dimension: Dimension | undefined, column: ColumnOf): SQL {
  if (dimension === undefined) {
    return sql`NULL::text`;
  }
  // Grouped as they are stored: a UUID is shorter than its text.
  return dimension === "link" || dimension === "tag" || dimension === "domain"
    ? column(dimension === "tag" ? "link" : dimension)
    : sql`NULLIF(${column(dimension)}, '')`;
}
