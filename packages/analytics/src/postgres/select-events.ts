/** Rows of (at, clicks, value, visitor) from single clicks, and the `value` of a row of any table. */
import { type SQL, sql } from "drizzle-orm";
import type { Question } from "../engine.ts";
import { CLICKS } from "../event-values.ts";
import type { InstantRange } from "../range.ts";
import { type ColumnOf, eventColumn, toConditions } from "./conditions.ts";
import { toMultirange } from "./instant.ts";
import { choosesLinks, isOfLinks, type Needs, specialColumns } from "./pair.ts";
import type { StatementTables } from "./statement-tables.ts";

/** @param visitors whether `visitor` is needed; NULL in every row otherwise. */
export type EventNeeds = Needs & { readonly visitors: boolean };

/** @param spans a multirange that the statement computes. */
export function selectEventsIn(spans: SQL, question: Question, needs: EventNeeds): SQL {
  return countEvents(sql`(${eventsIn(spans, question, needs)}) AS event`, needs);
}

/** The same for short spans. All lists of a screen count the same clicks there, so a statement with several reads them once. */
export function selectShortEvents(
  spans: readonly InstantRange[],
  question: Question,
  { needs, tables }: { readonly needs: EventNeeds; readonly tables: StatementTables },
): SQL {
  const events = eventsIn(toMultirange(spans), question, needs);
  return countEvents(tables.add("short_events", events, { isInlinedIfReadOnce: true }), needs);
}

/**
 * OFFSET 0: each span is looked up by an index; without it, the planner would merge the join and read every click. A workspace's
 * clicks are adjacent in its own index and read in its order, because the planner would otherwise search the index of links once
 * for each link.
 */
function eventsIn(spans: SQL, { workspaceId, filters }: Question, needs: Needs): SQL {
  const conditions = [
    sql`workspace_id = ${workspaceId}::uuid AND clicked_at >= lower(span) AND clicked_at < upper(span)`,
    ...toConditions(workspaceId, filters, eventColumn),
  ];
  const order = choosesLinks({ filters }) ? sql`` : sql` ORDER BY clicked_at DESC, event_id DESC`;
  // A table that several lists read has all of its columns worked out.
  const source = specialColumns(needs).includes("destination") ? CLICKS : "click_events";
  return sql`SELECT hit.* FROM unnest(${spans}) AS span CROSS JOIN LATERAL (
      SELECT * FROM ${sql.raw(source)} WHERE ${sql.join(conditions, sql` AND `)}${order} OFFSET 0
    ) AS hit`;
}

/** Counted where they are read if only their number matters: passing on millions of rows costs as much as finding them. */
function countEvents(events: SQL, needs: EventNeeds): SQL {
  const value = valueOf(needs, eventColumn);
  return needs.visitors || needs.instants
    ? sql`SELECT clicked_at AS at, 1::bigint AS clicks, ${value} AS value,
        ${needs.visitors ? sql`visitor` : sql`NULL::uuid`} AS visitor FROM ${events}`
    : sql`SELECT NULL::timestamptz AS at, count(*) AS clicks, ${value} AS value, NULL::uuid AS visitor
        FROM ${events} GROUP BY 3`;
}

/** The `value` of a row: a UUID for links, tags and domains. */
export function valueOf({ dimension }: Pick<Needs, "dimension">, column: ColumnOf): SQL {
  if (dimension === undefined) {
    return sql`NULL::text`;
  }
  return isOfLinks(dimension)
    ? column("link")
    : dimension === "domain"
      ? column(dimension)
      : sql`NULLIF(${column(dimension)}, '')`;
}
