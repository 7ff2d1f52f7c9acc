/**
 * Clicks of chosen links (named, or by their tags), by what else they were. A link with many clicks has its days in
 * scope_summaries; its other days, and links with few clicks, are read from the events link by link.
 */
import { type SQL, sql } from "drizzle-orm";
import { type ColumnOf, eventColumn, toConditions } from "./conditions.ts";
import { columnOf, type Dimension, type Filter } from "./dimension.ts";
import type { Question } from "./question.ts";
import type { InstantRange } from "./range.ts";
import { selectEvents, valueOf } from "./select-events.ts";
import { isOfLinks, type Needs } from "./source.ts";
import { selectUsable } from "./summary-periods.ts";
import { toTimestamp } from "./timestamp.ts";

export type LinkSet = {
  readonly question: Question;
  /** Whole UTC days of the question's. */
  readonly range: InstantRange;
  /** The one dimension beside links and tags that is filtered or grouped by. */
  readonly member: Exclude<Dimension, "tag">;
};

/** For a WITH: the links chosen, what is kept of them, and the spans of each that are read from its events. */
function withTables({ question: { workspaceId, filters }, range, member }: LinkSet): SQL {
  const named = filters.find(({ dimension, is }) => dimension === "link" && is.length > 0);
  const links = named === undefined ? sql`links` : sql`unnest(${sql.param(named.is)}::uuid[]) AS named (id)`;
  const isChosen = [
    ...(named === undefined ? [sql`workspace_id = ${workspaceId}::uuid`] : []),
    ...toConditions(workspaceId, filters.filter(isAboutLinks), () => sql`id`),
  ];
  return sql`usable AS MATERIALIZED (${selectUsable(workspaceId, range)}),
    chosen AS MATERIALIZED (SELECT id FROM ${links} WHERE ${sql.join(isChosen, sql` AND `)}),
    kept AS MATERIALIZED (
      SELECT scope_value::uuid AS link_id, period_start, period_end, class, domain_id, member_values, member_clicks
      FROM scope_summaries JOIN usable USING (period_start)
      WHERE workspace_id = ${workspaceId}::uuid AND scope = 'link_id' AND dimension = ${columnOf(member)}
        AND scope_value = ANY(ARRAY(SELECT id::text FROM chosen))
    ), uncovered AS (
      SELECT id AS link_id, unnest(tstzmultirange(tstzrange(${toTimestamp(range.fromMs)}, ${toTimestamp(range.toMs)}))
        - COALESCE(range_agg(tstzrange(period_start, period_end)) FILTER (WHERE period_start IS NOT NULL), '{}')) AS span
      FROM chosen LEFT JOIN kept ON kept.link_id = chosen.id GROUP BY id
    )`;
}

/** Sub-SELECT of (at, clicks, value, visitor); `at` is exact to the UTC day. */
export function selectLinkSetHits(set: LinkSet, needs: Needs): SQL {
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
  return sql`(WITH ${withTables(set)}
    SELECT period_start AS at, part_clicks::bigint AS clicks, ${valueOf(needs.dimension, keptColumn)} AS value, NULL::uuid AS visitor
    FROM kept CROSS JOIN LATERAL unnest(member_values, member_clicks) AS part (member, part_clicks)
    WHERE ${sql.join([sql`true`, ...isKept], sql` AND `)}
    UNION ALL
    SELECT hit.* FROM uncovered CROSS JOIN LATERAL (
      ${selectEvents(valueOf(needs.dimension, eventColumn), isHit, needs)} OFFSET 0
    ) AS hit)`;
}

/** Sub-SELECT of the spans that are read from the events. */
export function selectLinkSetSpans(set: LinkSet): SQL {
  return sql`(WITH ${withTables(set)} SELECT DISTINCT span FROM uncovered)`;
}

function isAboutLinks({ dimension }: Filter): boolean {
  return isOfLinks(dimension);
}
