/**
 * How far pre-aggregated visitors, as analytics would use them, are from the events: of each workspace, country and link,
 * in each quarter of an hour. One statement, one moment.
 */
import { quarterOf } from "./quarter-of.ts";
import { USED_PERIODS } from "./used-periods.ts";

// Days made before migrations/0016 have no rows and are not used.
export const VISITOR_DRIFT: string = `
  WITH used AS MATERIALIZED (
    ${USED_PERIODS}
      AND EXISTS (SELECT FROM visitor_summaries AS summary WHERE summary.workspace_id = period.workspace_id
        AND summary.period_start = period.period_start)
  ), summary AS MATERIALIZED (
    SELECT visitor_summaries.* FROM used JOIN visitor_summaries USING (workspace_id, period_start)
  ), seen AS (
    SELECT workspace_id, period_start, scope, scope_value, of_humans, visitor, min(quarter) AS first, max(quarter) AS last
    FROM (
      SELECT used.workspace_id, used.period_start, link_id, country, class, visitor,
        ${quarterOf("used.period_start")} AS quarter
      FROM used JOIN click_events ON click_events.workspace_id = used.workspace_id
        AND clicked_at >= period_start AND clicked_at < period_end AND visitor IS NOT NULL
    ) AS event
    CROSS JOIN LATERAL (VALUES ('workspace', ''), ('country', COALESCE(country, '')), ('link_id', link_id::text))
      AS place (scope, scope_value)
    CROSS JOIN LATERAL (VALUES (false), (class = 'human')) AS kind (of_humans)
    WHERE scope <> 'link_id' OR (workspace_id, period_start, scope_value) IN (
      SELECT workspace_id, period_start, scope_value FROM summary WHERE scope = 'link_id'
    )
    GROUP BY 1, 2, 3, 4, 5, 6
  ), counted AS (
    SELECT workspace_id, period_start, scope, scope_value, of_humans, is_first, quarter, count(*) AS visitors
    FROM seen CROSS JOIN LATERAL (VALUES (true, first), (false, last)) AS edge (is_first, quarter)
    GROUP BY 1, 2, 3, 4, 5, 6, 7
  ), kept AS (
    SELECT workspace_id, period_start, scope, scope_value, of_humans, true AS is_first, quarter,
      seen_by - lag(seen_by, 1, 0) OVER (PARTITION BY workspace_id, period_start, scope, scope_value, of_humans
        ORDER BY place) AS visitors
    FROM (SELECT workspace_id, period_start, scope, scope_value, of_humans, part.* FROM summary
      CROSS JOIN LATERAL unnest(first_quarters, summary.seen_by) WITH ORDINALITY AS part (quarter, seen_by, place)) AS first_seen
    UNION ALL
    SELECT workspace_id, period_start, scope, scope_value, of_humans, false, quarter,
      seen_since - lead(seen_since, 1, 0) OVER (PARTITION BY workspace_id, period_start, scope, scope_value, of_humans
        ORDER BY place)
    FROM (SELECT workspace_id, period_start, scope, scope_value, of_humans, part.* FROM summary
      CROSS JOIN LATERAL unnest(last_quarters, summary.seen_since) WITH ORDINALITY AS part (quarter, seen_since, place)) AS last_seen
  )
  SELECT COALESCE(sum(abs(COALESCE(counted.visitors, 0) - COALESCE(kept.visitors, 0))), 0)::float8 AS drift
  FROM counted
  FULL JOIN kept USING (workspace_id, period_start, scope, scope_value, of_humans, is_first, quarter)`;
