/**
 * The statements that count one day of each tag with enough clicks ahead, and note which links it had (migrations/0018).
 * They come after the day's link_summaries; `insertTagPeriods` after its summary_periods.
 */
import { ROLLED_DIMENSIONS } from "./rolled-dimensions.ts";

type DayOfEvents = {
  /** Condition on `click_events`; `$1` is the workspace. */
  readonly period: string;
  /** The day's beginning, as a timestamptz. */
  readonly start: string;
  /** The quarter of an hour of the day that a click is in, as a smallint. */
  readonly quarter: string;
};

const COLUMNS = ["link_id", ...ROLLED_DIMENSIONS];
/** What is counted of a tag. */
export const TAG_MEMBERS: readonly string[] = ["quarter", ...COLUMNS];

const DIMENSION_OF_SET = TAG_MEMBERS.map((member) => `WHEN GROUPING(${member}) = 0 THEN '${member}'`).join(
  " ",
);
const SETS = TAG_MEMBERS.map((member) => `(tag, class, domain_id, ${member})`).join(", ");

/** `$4`: the clicks from which on a tag has rows. A click counts for each tag of its link. */
export function insertTagSummaries({ period, start, quarter }: DayOfEvents): string {
  return `
  INSERT INTO tag_summaries
    (workspace_id, tag, dimension, period_start, class, domain_id, member_values, member_clicks)
  WITH tagged AS MATERIALIZED (
    SELECT DISTINCT tag, links.id AS link_id FROM links CROSS JOIN LATERAL unnest(tags) AS tag
    WHERE workspace_id = $1::uuid AND tags <> '{}'
  ), busy AS (
    SELECT tag FROM link_summaries JOIN tagged USING (link_id)
    WHERE workspace_id = $1::uuid AND period_start = ${start}
    GROUP BY tag HAVING sum(clicks) >= $4::bigint
  ), event AS MATERIALIZED (
    SELECT tag, class, domain_id, ${quarter}::text AS quarter,
      ${COLUMNS.map((column) => `COALESCE(${column}::text, '') COLLATE "C" AS ${column}`).join(", ")}
    FROM (SELECT * FROM click_events WHERE ${period}) AS click JOIN tagged USING (link_id)
    WHERE tag IN (SELECT tag FROM busy)
  )
  SELECT $1::uuid, tag, dimension, ${start}, class, domain_id, array_agg(value), array_agg(clicks)
  FROM (
    SELECT tag, CASE ${DIMENSION_OF_SET} END AS dimension, class, domain_id,
      COALESCE(${TAG_MEMBERS.join(", ")}) AS value, count(*)::integer AS clicks
    FROM event GROUP BY GROUPING SETS (${SETS})
  ) AS members
  GROUP BY tag, dimension, class, domain_id`;
}

/** Begins a generation of each of the day's tags whose links are not those of its last. `$2`: the day's beginning. */
export function insertTagMemberships(start: string): string {
  return `
  WITH day_tag AS MATERIALIZED (
    SELECT DISTINCT tag FROM tag_summaries WHERE workspace_id = $1::uuid AND period_start = ${start}
  ), present AS MATERIALIZED (
    SELECT DISTINCT tag, links.id AS link_id FROM links CROSS JOIN LATERAL unnest(tags) AS tag
    WHERE workspace_id = $1::uuid AND tag IN (SELECT tag FROM day_tag)
  ), known AS MATERIALIZED (
    SELECT tag, ${LAST_GENERATION} AS generation FROM tag_memberships
    WHERE workspace_id = $1::uuid AND tag IN (SELECT tag FROM day_tag) GROUP BY tag
  ), ended AS (
    UPDATE tag_memberships AS membership SET to_generation = known.generation + 1 FROM known
    WHERE workspace_id = $1::uuid AND membership.tag = known.tag AND to_generation IS NULL
      AND NOT EXISTS (SELECT FROM present WHERE present.tag = membership.tag AND present.link_id = membership.link_id)
  )
  INSERT INTO tag_memberships (workspace_id, tag, link_id, from_generation)
  SELECT $1::uuid, tag, link_id, COALESCE(known.generation, 0) + 1
  FROM present LEFT JOIN known USING (tag)
  WHERE NOT EXISTS (
    SELECT FROM tag_memberships AS membership WHERE membership.workspace_id = $1::uuid
      AND membership.tag = present.tag AND membership.link_id = present.link_id AND to_generation IS NULL
  )`;
}

const LAST_GENERATION = "max(GREATEST(from_generation, COALESCE(to_generation, 0)))";

/** Says of which generation, and of how many clicks of the workspace, the day's tags were made. */
export function insertTagPeriods(start: string): string {
  return `
  INSERT INTO tag_periods (workspace_id, tag, period_start, clicks, generation)
  SELECT $1::uuid, tag, ${start},
    (SELECT clicks FROM summary_periods WHERE workspace_id = $1::uuid AND period_start = ${start}), ${LAST_GENERATION}
  FROM tag_memberships
  WHERE workspace_id = $1::uuid
    AND tag IN (SELECT tag FROM tag_summaries WHERE workspace_id = $1::uuid AND period_start = ${start})
  GROUP BY tag`;
}
