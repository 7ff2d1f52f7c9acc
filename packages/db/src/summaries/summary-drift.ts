/**
 * How far the summaries that analytics would use are from the events they were made of: every value of every dimension,
 * the links, and the values inside links, countries and so on. One statement, one moment.
 */
import { ROLLED_DIMENSIONS, SUMMARY_SCOPES } from "./rolled-dimensions.ts";
import { USED_PERIODS } from "./used-periods.ts";

const PARTS = [
  "('link_id', event.link_id::text)",
  ...ROLLED_DIMENSIONS.map((column) => `('${column}', event.${column}::text)`),
].join(", ");

const SCOPE_VALUES = SUMMARY_SCOPES.map((column) => `WHEN '${column}' THEN event.${column}::text`).join(" ");

export const SUMMARY_DRIFT: string = `
  WITH used AS MATERIALIZED (
    ${USED_PERIODS}
  ), scope AS MATERIALIZED (
    SELECT DISTINCT workspace_id, period_start, scope, scope_value FROM scope_summaries
  ), event AS MATERIALIZED (
    SELECT used.period_start, click_events.* FROM used
    JOIN click_events ON click_events.workspace_id = used.workspace_id
      AND clicked_at >= period_start AND clicked_at < period_end
  ), counted AS (
    SELECT workspace_id, period_start, '' AS scope, '' AS scope_value, dimension, class, domain_id,
      COALESCE(value, '') AS value, count(*) AS clicks
    FROM event CROSS JOIN LATERAL (VALUES ${PARTS}) AS part (dimension, value)
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
    UNION ALL
    SELECT event.workspace_id, event.period_start, scope.scope, scope.scope_value, dimension, class, domain_id,
      COALESCE(value, ''), count(*)
    FROM event
    JOIN scope ON scope.workspace_id = event.workspace_id AND scope.period_start = event.period_start
      AND scope.scope_value = CASE scope.scope ${SCOPE_VALUES} END
    CROSS JOIN LATERAL (VALUES ${PARTS}) AS part (dimension, value)
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  ), kept AS (
    -- Both counts of a row have to be right.
    SELECT workspace_id, period_start, '' AS scope, '' AS scope_value, dimension, class, domain_id, value,
      CASE WHEN clicks = (SELECT sum(part) FROM unnest(quarter_clicks) AS part) THEN clicks ELSE -1 END AS clicks
    FROM dimension_summaries JOIN used USING (workspace_id, period_start)
    UNION ALL
    SELECT workspace_id, period_start, '', '', 'link_id', class, domain_id, link_id::text,
      CASE WHEN clicks = (SELECT sum(part) FROM unnest(quarter_clicks) AS part) THEN clicks ELSE -1 END
    FROM link_summaries JOIN used USING (workspace_id, period_start)
    UNION ALL
    SELECT workspace_id, period_start, scope, scope_value, dimension, class, domain_id, member, member_count
    FROM scope_summaries JOIN used USING (workspace_id, period_start)
    CROSS JOIN LATERAL unnest(member_values, member_clicks) AS part (member, member_count)
  )
  SELECT COALESCE(sum(abs(COALESCE(counted.clicks, 0) - COALESCE(kept.clicks, 0))), 0)::float8 AS drift
  FROM counted
  FULL JOIN kept USING (workspace_id, period_start, scope, scope_value, dimension, class, domain_id, value)`;
