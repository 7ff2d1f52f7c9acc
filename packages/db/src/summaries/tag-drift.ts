/**
 * How far pre-aggregated tags, as analytics would use them, are from the events of the links they were made of. One
 * statement, one moment.
 */
import { TAG_MEMBERS } from "./tag-members.ts";
import { quarterOf } from "./quarter-of.ts";
import { USED_PERIODS } from "./used-periods.ts";

const PARTS = TAG_MEMBERS.map((member) => `('${member}', event.${member}::text)`).join(", ");

export const TAG_DRIFT: string = `
  WITH used AS MATERIALIZED (
    SELECT workspace_id, period_start, period_end, tag, generation
    FROM (${USED_PERIODS}) AS period
    JOIN summary_periods USING (workspace_id, period_start, period_end)
    JOIN tag_periods USING (workspace_id, period_start, clicks)
  ), event AS (
    SELECT used.period_start, used.tag, click_events.*,
      ${quarterOf("used.period_start")} AS quarter
    FROM used
    JOIN tag_memberships AS membership ON membership.workspace_id = used.workspace_id AND membership.tag = used.tag
      AND generation >= from_generation AND (to_generation IS NULL OR generation < to_generation)
    JOIN click_events ON click_events.workspace_id = used.workspace_id AND click_events.link_id = membership.link_id
      AND clicked_at >= period_start AND clicked_at < period_end
  ), counted AS (
    SELECT workspace_id, period_start, tag, dimension, class, domain_id, COALESCE(value, '') AS value, count(*) AS clicks
    FROM event CROSS JOIN LATERAL (VALUES ${PARTS}) AS part (dimension, value)
    GROUP BY 1, 2, 3, 4, 5, 6, 7
  ), kept AS (
    SELECT workspace_id, period_start, tag, dimension, class, domain_id, member AS value, member_count AS clicks
    FROM tag_summaries JOIN used USING (workspace_id, period_start, tag)
    CROSS JOIN LATERAL unnest(member_values, member_clicks) AS part (member, member_count)
  )
  SELECT COALESCE(sum(abs(COALESCE(counted.clicks, 0) - COALESCE(kept.clicks, 0))), 0)::float8 AS drift
  FROM counted FULL JOIN kept USING (workspace_id, period_start, tag, dimension, class, domain_id, value)`;
