/**
 * Clicks of the current links of a tag (migrations/0018): the tag's summaries of days, plus the clicks of links that were added
 * since, minus those of links that were removed.
 */
import { type SQL, sql } from "drizzle-orm";
import { type ColumnOf, eventColumn, toConditions } from "./conditions.ts";
import { columnOf } from "@hopline/analytics/dimension";
import {
  isAboutLinks,
  type LinkSet,
  selectChosen,
  selectWantedMembers,
  selectWantedSpans,
  toSpans,
  type WantedLinks,
} from "./link-set.ts";
import type { Question } from "./question.ts";
import type { InstantRange } from "@hopline/analytics/range";
import { memberValueOf } from "./select-events.ts";
import type { Needs, TagScope } from "./source.ts";
import type { StatementTables } from "./statement-tables.ts";
import { selectUsable } from "./summary-periods.ts";
import { toTimestamp } from "./timestamp.ts";
import { selectWantedClicks } from "./wanted-clicks.ts";

export type TagPiece = {
  readonly question: Question;
  /** Whole UTC days, or quarters of an hour if those are stored. */
  readonly range: InstantRange;
  readonly tag: TagScope;
};

/** SELECTs of (at, clicks, value, visitor); `at` is exact to the piece's grain. Clicks may be negative: they add up. */
export function selectTagHits(piece: TagPiece, needs: Needs, tables: StatementTables): SQL {
  const { tagDays, links } = addTagTables(piece, tables);
  const set = toLinkSet(piece);
  const ofLinks =
    set === null
      ? selectWantedClicks(piece.question, { needs, links }, tables)
      : selectWantedMembers(set, { needs, links }, tables);
  return sql`${selectTagRows(piece, needs, tagDays)} UNION ALL ${ofLinks}`;
}

/** SELECT of the spans that are read from the events; `null`: none. */
export function selectTagSpans(piece: TagPiece, tables: StatementTables): SQL | null {
  const set = toLinkSet(piece);
  return set === null ? null : selectWantedSpans(set, addTagTables(piece, tables).links, tables);
}

/** `null` if the rollups of the links can answer. */
function toLinkSet({ question, range, tag: { member } }: TagPiece): LinkSet | null {
  return member === "quarter" || member === "link" ? null : { question, range, member };
}

type TagTables = {
  /** Table (period_start, generation, span) of the tag's summaries. */
  readonly tagDays: SQL;
  /** What those lack or have in excess, link by link. */
  readonly links: WantedLinks;
};

function addTagTables(piece: TagPiece, tables: StatementTables): TagTables {
  const { question, range, tag } = piece;
  const { workspaceId } = question;
  const isOfTag = sql`workspace_id = ${workspaceId}::uuid AND tag = ${tag.value}`;
  const usable = tables.add("usable", selectUsable(workspaceId, range));
  const chosen = tables.add("chosen", selectChosen(question));
  const memberships = tables.add(
    "memberships",
    sql`SELECT link_id, from_generation, COALESCE(to_generation, ${NEVER}) AS to_generation,
        link_id IN (SELECT id FROM ${chosen}) AS is_chosen
      FROM tag_memberships WHERE ${isOfTag}`,
  );
  // Clicks of removed links can't be subtracted if retention has deleted their events.
  const canTakeAway =
    toLinkSet(piece) === null
      ? sql``
      : sql` AND NOT EXISTS (
          SELECT FROM event_retention CROSS JOIN ${memberships} WHERE kept_from > period_start
            AND NOT is_chosen AND generation >= from_generation AND generation < to_generation
        )`;
  const tagDays = tables.add(
    "tag_days",
    sql`SELECT period_start, generation, tstzrange(period_start, period_end) AS span
      FROM ${usable} JOIN tag_periods USING (period_start, clicks) WHERE ${isOfTag}${canTakeAway}`,
  );
  // Most links were there all the time: they are left out before days are compared one by one.
  const came = tables.add(
    "came",
    sql`SELECT id AS link_id FROM ${chosen} WHERE id NOT IN (
        SELECT link_id FROM ${memberships}
        WHERE to_generation = ${NEVER} AND from_generation <= (SELECT min(generation) FROM ${tagDays})
      )`,
  );
  const gone = tables.add("gone", sql`SELECT * FROM ${memberships} WHERE NOT is_chosen`);
  const difference = sql`SELECT link_id, 1 AS sign, span FROM ${came} AS came CROSS JOIN ${tagDays} WHERE NOT EXISTS (
      SELECT FROM ${memberships} AS membership WHERE membership.link_id = came.link_id
        AND generation >= from_generation AND generation < to_generation
    )
    UNION ALL
    SELECT link_id, -1, span FROM ${gone}
    JOIN ${tagDays} ON generation >= from_generation AND generation < to_generation
    UNION ALL
    SELECT id, 1, unnest(${toSpans(range)} - COALESCE((SELECT range_agg(span) FROM ${tagDays}), '{}')) FROM ${chosen}`;
  const wanted = tables.add(
    "wanted",
    sql`SELECT link_id, sign, range_agg(span) * ${toSpans(range)} AS spans
      FROM (${difference}) AS difference GROUP BY link_id, sign`,
  );
  return { tagDays, links: { wanted, usable } };
}

/** After any generation. */
const NEVER = sql`2147483647`;

function selectTagRows({ question, range, tag }: TagPiece, needs: Needs, tagDays: SQL): SQL {
  const { workspaceId, filters } = question;
  const isQuarter = tag.member === "quarter";
  const column: ColumnOf = (dimension) =>
    dimension !== tag.member
      ? eventColumn(dimension)
      : dimension === "link"
        ? sql`member::uuid`
        : sql`member`;
  const at = isQuarter ? sql`period_start + member::int * interval '15 minutes'` : sql`period_start`;
  const conditions = [
    sql`${at} >= ${toTimestamp(range.fromMs)} AND ${at} < ${toTimestamp(range.toMs)}`,
    ...toConditions(
      workspaceId,
      filters.filter((filter) => !isAboutLinks(filter)),
      column,
    ),
  ];
  // Arrays are unnested in the list of columns: as a joined function, that costs three times as much.
  return sql`SELECT ${at} AS at, part_clicks AS clicks, ${memberValueOf(needs, column)} AS value, NULL::uuid AS visitor FROM (
      SELECT period_start, class, domain_id, unnest(member_values) AS member, unnest(member_clicks)::bigint AS part_clicks
      FROM tag_summaries
      WHERE workspace_id = ${workspaceId}::uuid AND tag = ${tag.value} AND dimension = ${columnOfMember(tag)}
        AND period_start = ANY(ARRAY(SELECT period_start FROM ${tagDays}))
    ) AS part WHERE ${sql.join(conditions, sql` AND `)}`;
}

function columnOfMember({ member }: TagScope): string {
  return member === "quarter" ? member : columnOf(member);
}
