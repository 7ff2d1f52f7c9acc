/** The rows of the events themselves, and what stands in `value` of a row of any table. */
import { type SQL, sql } from "drizzle-orm";
import { type ColumnOf, eventColumn } from "./conditions.ts";
import { isLinkText, isOfLinks, type Needs } from "./source.ts";

/** Counted where they are read if only their number matters: to hand on millions of rows costs as much as to find them. */
export function selectEvents(conditions: readonly SQL[], needs: Needs): SQL {
  return countEvents(sql`click_events WHERE ${sql.join([...conditions], sql` AND `)}`, needs);
}

/**
 * The events of a time of a workspace, whole, for `countEvents`. They lie side by side, and are read in their order from
 * the workspace's index: the order is asked for, because the planner would rather search the index of links once for each link.
 */
export function selectInOrder(conditions: readonly SQL[]): SQL {
  return sql`SELECT * FROM click_events WHERE ${sql.join([...conditions], sql` AND `)}
    ORDER BY clicked_at DESC, event_id DESC OFFSET 0`;
}

/** As `selectEvents`, of a FROM item with the columns of `click_events`. */
export function countEvents(events: SQL, needs: Needs): SQL {
  const { visitors, instants } = needs;
  const value = valueOf(needs, eventColumn);
  return visitors || instants
    ? sql`SELECT clicked_at AS at, 1::bigint AS clicks, ${value} AS value,
        ${visitors ? sql`visitor` : sql`NULL::uuid`} AS visitor FROM ${events}`
    : sql`SELECT NULL::timestamptz AS at, count(*) AS clicks, ${value} AS value, NULL::uuid AS visitor
        FROM ${events} GROUP BY 3`;
}

/** What stands in `value` of a row. */
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

/** As `valueOf`, where `column` reads members of arrays, which are texts. */
export function memberValueOf(needs: Needs, column: ColumnOf): SQL {
  return isLinkText(needs) ? sql`member` : valueOf(needs, column);
}
