/** Hits, rows of (at, clicks, value, visitor), from tables of rows in time: single clicks and rollups. */
import { type SQL, sql } from "drizzle-orm";
import type { Question } from "../engine.ts";
import { CLICKS } from "../event-values.ts";
import type { InstantRange } from "../range.ts";
import { type ColumnOf, eventColumn, toConditions } from "./conditions.ts";
import { toMultirange } from "./instant.ts";
import { choosesLinks, isOfLinks, type Needs, type Rollup, specialColumns } from "./pair.ts";
import type { StatementTables } from "./statement-tables.ts";

/** @param visitors whether `visitor` is needed; NULL in every row otherwise. */
export type RowNeeds = Needs & { readonly visitors: boolean };

/** @param spans a multirange that the statement computes: whole quarters of an hour for a rollup. */
export function selectRows(
  table: Rollup | "click_events",
  spans: SQL,
  { question, needs }: { readonly question: Question; readonly needs: RowNeeds },
): SQL {
  const rows = rowsIn(table, spans, { question, needs });
  return toHits(sql`(${rows}) AS hit`, needs, table === "click_events" ? EVENT : ROLLUP);
}

/** Clicks in short spans. All lists of a screen count the same ones there, so a statement with several reads them once. */
export function selectShortEvents(
  spans: readonly InstantRange[],
  question: Question,
  { needs, tables }: { readonly needs: RowNeeds; readonly tables: StatementTables },
): SQL {
  const events = rowsIn("click_events", toMultirange(spans), { question, needs });
  return toHits(tables.add("short_events", events, { isInlinedIfReadOnce: true }), needs, EVENT);
}

/**
 * OFFSET 0: each span is looked up by an index; without it, the planner would merge the join and read every click. A workspace's
 * clicks are adjacent in its own index and read in its order, because the planner would otherwise search the index of links once
 * for each link.
 */
function rowsIn(
  table: Rollup | "click_events",
  spans: SQL,
  { question: { workspaceId, filters }, needs }: { readonly question: Question; readonly needs: Needs },
): SQL {
  const isEvents = table === "click_events";
  const at = sql.raw(isEvents ? "clicked_at" : "bucket_start");
  const conditions = [
    sql`workspace_id = ${workspaceId}::uuid AND ${at} >= lower(span) AND ${at} < upper(span)`,
    ...toConditions(workspaceId, filters, eventColumn),
    ...isListed(needs, eventColumn),
  ];
  const order = isEvents && !choosesLinks({ filters }) ? sql` ORDER BY clicked_at` : sql``;
  // A table that several lists read has all of its columns worked out.
  const source = isEvents && specialColumns(needs).includes("destination") ? CLICKS : table;
  return sql`SELECT hit.* FROM unnest(${spans}) AS span CROSS JOIN LATERAL (
      SELECT * FROM ${sql.raw(source)} WHERE ${sql.join(conditions, sql` AND `)}${order} OFFSET 0
    ) AS hit`;
}

/** Whether a row's value is one of `needs.among`. */
export function isListed({ dimension, among }: Needs, column: ColumnOf): readonly SQL[] {
  return dimension === undefined || among === undefined
    ? []
    : [
        sql`COALESCE((${column(isOfLinks(dimension) ? "link" : dimension)})::text, '') = ANY(ARRAY(${among}))`,
      ];
}

/** How hits are read from a row. */
type HitColumns = { readonly at: SQL; readonly clicks: SQL | null; readonly column: ColumnOf };

const EVENT: HitColumns = { at: sql`clicked_at`, clicks: null, column: eventColumn };
const ROLLUP: HitColumns = { at: sql`bucket_start`, clicks: sql`clicks`, column: eventColumn };

/**
 * Added up where they are read if only their number matters: passing on rows costs as much as finding them.
 *
 * @param source after FROM.
 */
export function toHits(source: SQL, needs: RowNeeds, { at, clicks, column }: HitColumns): SQL {
  const { key, value } = valueOf(needs, column);
  return needs.visitors || needs.instants
    ? sql`SELECT ${at} AS at, ${clicks ?? sql`1`}::bigint AS clicks, ${value} AS value,
        ${needs.visitors ? sql`visitor` : sql`NULL::uuid`} AS visitor FROM ${source}`
    : sql`SELECT NULL::timestamptz AS at, ${clicks === null ? sql`count(*)` : sql`sum(${clicks})`} AS clicks,
        ${value} AS value, NULL::uuid AS visitor FROM ${source} GROUP BY ${key}`;
}

/** What rows are grouped by, and the value of a group: a UUID for links, tags and domains. */
function valueOf({ dimension }: Needs, column: ColumnOf): { readonly key: SQL; readonly value: SQL } {
  if (dimension === undefined) {
    return { key: sql`3`, value: sql`NULL::text` };
  }
  const key = column(isOfLinks(dimension) ? "link" : dimension);
  const isId = isOfLinks(dimension) || dimension === "domain";
  return { key, value: isId ? key : sql`NULLIF(${key}, '')` };
}
