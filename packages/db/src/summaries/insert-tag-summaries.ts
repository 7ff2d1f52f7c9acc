/**
 * The statements that pre-aggregate one day of each tag with enough clicks, and record which links it had
 * (migrations/0018). They run after the day's link_summaries; `insertTagPeriods` after its summary_periods.
 */
import { insertFolded, toTagMembers } from "./tag-members.ts";
import { beginGenerations } from "./tag-generations.ts";

type DayOfEvents = {
  /** Condition on `click_events`; `$1` is the workspace. */
  readonly period: string;
  /** The day's beginning, as a timestamptz. */
  readonly start: string;
};

/** `$4`: clicks that a tag needs to have rows. A click counts for each tag of its link. */
export function insertTagSummaries({ period, start }: DayOfEvents): string {
  return insertFolded(
    `tagged AS MATERIALIZED (
    SELECT DISTINCT tag, links.id AS link_id FROM links CROSS JOIN LATERAL unnest(tags) AS tag
    WHERE workspace_id = $1::uuid AND tags <> '{}'
  ), busy AS (
    SELECT tag FROM link_summaries JOIN tagged USING (link_id)
    WHERE workspace_id = $1::uuid AND period_start = ${start}
    GROUP BY tag HAVING sum(clicks) >= $4::bigint
  ), event AS MATERIALIZED (
    SELECT tag, class, domain_id, ${toTagMembers(start)}
    FROM (SELECT * FROM click_events WHERE ${period}) AS click JOIN tagged USING (link_id)
    WHERE tag IN (SELECT tag FROM busy)
  )`,
    { by: "tag", tag: "tag", start },
  );
}

/** Begins a new generation of each of the day's tags whose links changed since its last one. `$2`: the day's beginning. */
export function insertTagMemberships(start: string): string {
  return beginGenerations({
    tables: `day_tag AS MATERIALIZED (
    SELECT DISTINCT tag FROM tag_summaries WHERE workspace_id = $1::uuid AND period_start = ${start}
  ), `,
    isWanted: "workspace_id = $1::uuid AND tag IN (SELECT tag FROM day_tag)",
  });
}

/** Records of which generation, and of how many clicks of the workspace, the day's tags were made. */
export function insertTagPeriods(start: string): string {
  return `
  INSERT INTO tag_periods (workspace_id, tag, period_start, clicks, generation)
  SELECT $1::uuid, tag, ${start},
    (SELECT clicks FROM summary_periods WHERE workspace_id = $1::uuid AND period_start = ${start}), generation
  FROM tag_generations
  WHERE workspace_id = $1::uuid
    AND tag IN (SELECT tag FROM tag_summaries WHERE workspace_id = $1::uuid AND period_start = ${start})`;
}
