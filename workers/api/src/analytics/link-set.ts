/**
 * Clicks of selected links (by id or tag), by another dimension. Days of links with many clicks are in scope_summaries; other
 * days, and links with few clicks, are read from the events link by link.
 */
import { type SQL, sql } from "drizzle-orm";
import { type ColumnOf, eventColumn, toConditions } from "./conditions.ts";
import { columnOf, type Filter } from "@hopline/analytics/dimension";
import type { Question } from "./question.ts";
import type { InstantRange } from "@hopline/analytics/range";
import { selectEvents, valueOf } from "./select-events.ts";
import { isOfLinks, type LinkMember, type Needs } from "./source.ts";
import type { StatementTables } from "./statement-tables.ts";
import { selectUsable } from "./summary-periods.ts";
import { toTimestamp } from "./timestamp.ts";

export type LinkSet = {
  readonly question: Question;
  /** Whole UTC days of the question's. */
  readonly range: InstantRange;
  /** The one dimension besides links and tags in filters or grouping. */
  readonly member: LinkMember;
};

/** What is read for which links. */
export type WantedLinks = {
  /** Table (link_id, sign, spans), one row per link and sign. A sign of -1 subtracts clicks. */
  readonly wanted: SQL;
  /** Table of the periods whose summaries are usable. */
  readonly usable: SQL;
};

/** SELECTs of (at, clicks, value, visitor); `at` is exact to the UTC day. */
export function selectLinkSetHits(set: LinkSet, needs: Needs, tables: StatementTables): SQL {
  return selectWantedMembers(set, { needs, links: wantAll(set, tables) }, tables);
}

/** SELECT of the spans that are read from the events. */
export function selectLinkSetSpans(set: LinkSet, tables: StatementTables): SQL {
  return selectWantedSpans(set, wantAll(set, tables), tables);
}

/** SELECT of the ids of the selected links. */
export function selectChosen({ workspaceId, filters }: Question): SQL {
  const named = filters.find(({ dimension, is }) => dimension === "link" && is.length > 0);
  const links = named === undefined ? sql`links` : sql`unnest(${sql.param(named.is)}::uuid[]) AS named (id)`;
  const isChosen = [
    ...(named === undefined ? [sql`workspace_id = ${workspaceId}::uuid`] : []),
    ...toConditions(workspaceId, filters.filter(isAboutLinks), () => sql`id`),
  ];
  return sql`SELECT id FROM ${links} WHERE ${sql.join(isChosen, sql` AND `)}`;
}

/** The whole range of each selected link. */
function wantAll({ question, range }: LinkSet, tables: StatementTables): WantedLinks {
  const all = sql`SELECT id AS link_id, 1 AS sign, ${toSpans(range)} AS spans FROM (${selectChosen(question)}) AS chosen`;
  return {
    wanted: tables.add("wanted", all),
    usable: tables.add("usable", selectUsable(question.workspaceId, range)),
  };
}

export function toSpans({ fromMs, toMs }: InstantRange): SQL {
  return sql`tstzmultirange(tstzrange(${toTimestamp(fromMs)}, ${toTimestamp(toMs)}))`;
}

/** SELECTs of (at, clicks, value, visitor) of links, by another dimension. */
export function selectWantedMembers(
  set: LinkSet,
  { needs, links }: { readonly needs: Needs; readonly links: WantedLinks },
  tables: StatementTables,
): SQL {
  const { workspaceId, filters } = set.question;
  const others = filters.filter((filter) => !isAboutLinks(filter));
  const keptColumn: ColumnOf = (dimension) =>
    dimension === set.member ? sql`member` : eventColumn(dimension);
  const isKept = toConditions(workspaceId, others, keptColumn);
  const isHit = [
    sql`workspace_id = ${workspaceId}::uuid AND click_events.link_id = uncovered.link_id`,
    sql`clicked_at >= lower(uncovered.span) AND clicked_at < upper(uncovered.span)`,
    ...toConditions(workspaceId, others, eventColumn),
  ];
  const kept = addKept(set, links, tables);
  // Arrays are unnested in the list of columns: as a joined function, that costs three times as much.
  return sql`SELECT period_start AS at, sign * part_clicks AS clicks,
      ${valueOf(needs, keptColumn)} AS value, NULL::uuid AS visitor
    FROM (
      SELECT link_id, sign, period_start, class, domain_id,
        unnest(member_values) AS member, unnest(member_clicks)::bigint AS part_clicks
      FROM ${kept}
    ) AS part
    WHERE ${sql.join([sql`true`, ...isKept], sql` AND `)}
    UNION ALL
    SELECT hit.at, uncovered.sign * hit.clicks, hit.value, hit.visitor
    FROM (${selectUncovered(links, kept)}) AS uncovered CROSS JOIN LATERAL (
      ${selectEvents(isHit, needs)} OFFSET 0
    ) AS hit`;
}

/** SELECT of the spans of the links that are read from the events. */
export function selectWantedSpans(set: LinkSet, links: WantedLinks, tables: StatementTables): SQL {
  return sql`SELECT DISTINCT span FROM (${selectUncovered(links, addKept(set, links, tables))}) AS uncovered`;
}

/** Table of the links' summary rows. */
function addKept(
  { question: { workspaceId }, member }: LinkSet,
  { wanted, usable }: WantedLinks,
  tables: StatementTables,
): SQL {
  const kept = sql`SELECT link_id, sign, period_start, period_end, class, domain_id, member_values, member_clicks
    FROM scope_summaries
    JOIN ${usable} AS usable USING (period_start)
    JOIN ${wanted} AS wanted ON link_id = scope_value::uuid AND spans @> tstzrange(period_start, period_end)
    WHERE workspace_id = ${workspaceId}::uuid AND scope = 'link_id' AND dimension = ${columnOf(member)}
      AND scope_value = ANY(ARRAY(SELECT link_id::text FROM ${wanted}))`;
  return tables.add("kept", kept);
}

/** SELECT of (link_id, sign, span): what the links' summaries lack. */
function selectUncovered({ wanted }: WantedLinks, kept: SQL): SQL {
  return sql`SELECT link_id, wanted.sign, unnest(spans
      - COALESCE(range_agg(tstzrange(period_start, period_end)) FILTER (WHERE period_start IS NOT NULL), '{}')) AS span
    FROM ${wanted} AS wanted LEFT JOIN ${kept} AS kept USING (link_id) GROUP BY link_id, wanted.sign, spans`;
}

export function isAboutLinks({ dimension }: Filter): boolean {
  return isOfLinks(dimension);
}
