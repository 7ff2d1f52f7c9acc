/** The rows of the events, and the `value` of a row of any table. */
import { type SQL, sql } from "drizzle-orm";
import { type ColumnOf, eventColumn } from "./conditions.ts";
import { isLinkText, isOfLinks, type Needs } from "./source.ts";

/** Counted where they are read if only their number matters: passing on millions of rows costs as much as finding them. */
export function selectEvents(conditions: readonly SQL[], needs: Needs): SQL {
  return countEvents(sql`click_events WHERE ${sql.join([...conditions], sql` AND `)}`, needs);
}

/**
 * All events of a workspace in a time range, for `countEvents`. They are adjacent in the workspace's index and are read in its
 * order. The ORDER BY is needed because the planner would otherwise search the index of links once for each link.
 */
export function selectInOrder(conditions: readonly SQL[]): SQL {
  return sql`SELECT * FROM click_events WHERE ${sql.join([...conditions], sql` AND `)}
    ORDER BY clicked_at DESC, event_id DESC OFFSET 0`;
}

/** Like `selectEvents`, from a FROM item with the columns of `click_events`. */
export function countEvents(events: SQL, needs: Needs): SQL {
  const { visitors, instants } = needs;
  const value = valueOf(needs, eventColumn);
  return visitors || instants
    ? sql`SELECT clicked_at AS at, 1::bigint AS clicks, ${value} AS value,
        ${visitors ? sql`visitor` : sql`NULL::uuid`} AS visitor FROM ${events}`
    : sql`SELECT NULL::timestamptz AS at, count(*) AS clicks, ${value} AS value, NULL::uuid AS visitor
        FROM ${events} GROUP BY 3`;
}

/** The `value` of a row. */
export function valueOf(needs: Needs, column: ColumnOf): SQL {
  const { dimension } = needs;
  if (dimension === undefined) {
    return sql`NULL::text`;
  }
  if (isOfLinks(dimension)) {
    const link = column("link");
    return isLinkText(needs) ? sql`${link}::text` : link;
  }
  return dimension === "domain" ? column(dimension) : sql`NULLIF(${column(dimension)}, '')`;
}

/** Like `valueOf`, for a `column` that reads members of arrays, which are texts. */
export function memberValueOf(needs: Needs, column: ColumnOf): SQL {
  return isLinkText(needs) ? sql`member` : valueOf(needs, column);
}
