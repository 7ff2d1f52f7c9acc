/** Hits, as select-hits.ts has them, from tables of rows in time: single clicks and rollups. */
import { type Sql, sql } from "@hopline/db/sql";
import type { ClickDimension, Dimension } from "../dimension.ts";
import { ownDestination } from "@hopline/db/links/own-destination";
import { CLICKS } from "../event-values.ts";
import type { InstantRange } from "../range.ts";
import { type ColumnOf, eventColumn, toConditions } from "./conditions.ts";
import { toMultirange } from "../instant.ts";
import { choosesLinks, isOfLinks, type Rollup, specialColumns, type Wanted } from "./choose-cells.ts";
import type { PartTables } from "./statement-tables.ts";

/** @param spans a multirange that the statement computes: whole quarters of an hour for a rollup. */
export function selectRows(
  table: Rollup | "click_events",
  spans: Sql,
  wanted: Wanted,
  { clickSpans }: PartTables,
): Sql {
  const isEvents = table === "click_events";
  clickSpans.push(...(isEvents ? [spans] : []));
  return toHits(sql`(${rowsIn(table, spans, wanted)}) AS hit`, wanted, isEvents ? EVENT : ROLLUP);
}

/** The clicks that the cells of these days lack. */
export function selectSince(days: Sql, spans: readonly InstantRange[], wanted: Wanted): Sql {
  const { workspaceId, filters } = wanted;
  const conditions = [
    sql`day = ANY(ARRAY(${days})) AND clicked_at <@ ${toMultirange(spans)}`,
    ...toConditions(workspaceId, filters, eventColumn),
    ...isListed(wanted, (dimension) => sql`COALESCE((${eventColumn(dimension)})::text, '')`),
  ];
  const source = needsDestination(wanted)
    ? sql`(SELECT *, ${ownDestination("cube_since")} AS own_destination FROM cube_since) AS cube_since`
    : sql`cube_since`;
  return toHits(
    sql`(SELECT * FROM ${source} WHERE ${sql.join(conditions, sql` AND `)}) AS hit`,
    wanted,
    EVENT,
  );
}

/** Clicks in short spans, a multirange. All lists of a screen count the same ones there, so a statement with several reads them once. */
export function selectShortEvents(spans: Sql, wanted: Wanted, { add, share, clickSpans }: PartTables): Sql {
  clickSpans.push(spans);
  const events = rowsIn("click_events", spans, wanted);
  const name = "short_events";
  return toHits(wanted.among === undefined ? share(name, events) : add(name, events), wanted, EVENT);
}

/**
 * OFFSET 0: each span is looked up by an index; without it, the planner would merge the join and read every click. A workspace's
 * clicks are adjacent in its own index and read in its order, because the planner would otherwise search the index of links once
 * for each link.
 */
function rowsIn(table: Rollup | "click_events", spans: Sql, wanted: Wanted): Sql {
  const { workspaceId, filters } = wanted;
  const isEvents = table === "click_events";
  const at = isEvents ? sql`clicked_at` : sql`bucket_start`;
  const conditions = [
    sql`workspace_id = ${workspaceId}::uuid AND ${at} >= lower(span) AND ${at} < upper(span)`,
    ...toConditions(workspaceId, filters, eventColumn),
    ...isListed(wanted, (dimension) => sql`COALESCE((${eventColumn(dimension)})::text, '')`),
  ];
  const order = isEvents && !choosesLinks({ filters }) ? sql` ORDER BY clicked_at` : sql``;
  // A table that several lists read has all of its columns worked out.
  const source = isEvents && needsDestination(wanted) ? CLICKS : sql.identifier(table);
  return sql`SELECT hit.* FROM unnest(${spans}) AS span CROSS JOIN LATERAL (
      SELECT * FROM ${source} WHERE ${sql.join(conditions, sql` AND `)}${order} OFFSET 0
    ) AS hit`;
}

function needsDestination(wanted: Wanted): boolean {
  return specialColumns(wanted).includes("destination");
}

/** Whether a row's value is one of `among`. @param textOf a dimension's value, empty for unknown. */
export function isListed({ dimension, among }: Wanted, textOf: ColumnOf): readonly Sql[] {
  return dimension === undefined || among === undefined
    ? []
    : [sql`${textOf(valueDimensionOf(dimension))} = ANY(ARRAY(${among}))`];
}

/** Of a tag its links, whose tags are looked up afterwards. */
export function valueDimensionOf(dimension: Dimension): ClickDimension {
  return dimension === "tag" ? "link" : dimension;
}

/** How hits are read from a row. */
type HitColumns = {
  readonly at: Sql;
  /** `null`: a row is a click. */
  readonly clicks: Sql | null;
  readonly column: ColumnOf;
  /** Where each row is of one tag: it, empty for none. */
  readonly tag?: Sql;
};

const EVENT: HitColumns = { at: sql`clicked_at`, clicks: null, column: eventColumn };
const ROLLUP: HitColumns = { at: sql`bucket_start`, clicks: sql`clicks`, column: eventColumn };

/**
 * Added up where they are read if only their number matters: passing on rows costs as much as finding them.
 *
 * @param source after FROM.
 */
export function toHits(source: Sql, wanted: Wanted, columns: HitColumns): Sql {
  const { at, clicks, tag } = columns;
  const { dimension, visitors = false, boundariesMs } = wanted;
  const { key, value } = valueOf(wanted, columns);
  const hits =
    visitors || boundariesMs !== undefined
      ? sql`SELECT ${at} AS at, ${clicks ?? sql`1`}::bigint AS clicks, ${value} AS value,
        ${visitors ? sql`visitor` : sql`NULL::uuid`} AS visitor, NULL::bigint AS visitors FROM ${source}`
      : sql`SELECT NULL::timestamptz AS at, ${clicks === null ? sql`count(*)` : sql`sum(${clicks})`} AS clicks,
        ${value} AS value, NULL::uuid AS visitor, NULL::bigint AS visitors FROM ${source} GROUP BY ${key}`;
  return dimension === "tag" && tag === undefined ? withTags(hits) : hits;
}

/** What rows are grouped by, and the value of a group: a UUID for links and domains. */
function valueOf(
  { dimension }: Wanted,
  { column, tag }: HitColumns,
): { readonly key: Sql; readonly value: Sql } {
  if (dimension === undefined) {
    return { key: sql`3`, value: sql`NULL::text` };
  }
  const key = tag ?? column(valueDimensionOf(dimension));
  const isId = tag === undefined && (isOfLinks(dimension) || dimension === "domain");
  return { key, value: isId ? key : sql`NULLIF(${key}, '')` };
}

/** The tags in place of their links, NULL for none. */
function withTags(byLink: Sql): Sql {
  return sql`SELECT at, clicks, tag AS value, visitor, visitors FROM (${byLink}) AS by_link LEFT JOIN links ON links.id = by_link.value
    CROSS JOIN LATERAL unnest(CASE WHEN links.tags <> '{}' THEN links.tags ELSE '{NULL}' END) AS tag`;
}
