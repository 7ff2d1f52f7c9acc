/**
 * How far weeks are from their seven days. Only weeks whose number of clicks agrees with their days count, because
 * analytics read no others. SUMMARY_DRIFT compares the days with the events. One statement, one moment.
 */

const KEY = "workspace_id, week_start, scope, scope_value, dimension, class, domain_id, value";

// Only scopes that all seven days and the week have: analytics read no others from the week.
export const WEEK_DRIFT: string = `
  WITH day AS MATERIALIZED (
    SELECT workspace_id, period_start, date_bin('7 days', period_start, 'epoch') AS week_start, clicks
    FROM summary_periods
    WHERE period_start >= to_timestamp($1::float8 / 1000.0)
      AND period_start < to_timestamp($2::float8 / 1000.0) + interval '168 hours'
      AND period_end = period_start + interval '24 hours'
  ), used AS MATERIALIZED (
    SELECT workspace_id, week_start FROM summary_weeks AS week JOIN day USING (workspace_id, week_start)
    WHERE week_start >= to_timestamp($1::float8 / 1000.0) AND week_start < to_timestamp($2::float8 / 1000.0)
    GROUP BY workspace_id, week_start, week.clicks HAVING count(*) = 7 AND sum(day.clicks) = week.clicks
  ), used_day AS MATERIALIZED (
    SELECT workspace_id, week_start, period_start FROM day JOIN used USING (workspace_id, week_start)
  ), used_scope AS MATERIALIZED (
    SELECT workspace_id, week_start, scope, scope_value, dimension
    FROM scope_summaries JOIN used_day USING (workspace_id, period_start)
    GROUP BY 1, 2, 3, 4, 5 HAVING count(DISTINCT period_start) = 7
    INTERSECT
    SELECT workspace_id, week_start, scope, scope_value, dimension FROM scope_weeks
  ), folded AS (
    SELECT ${KEY}, sum(clicks) AS clicks FROM (
      SELECT workspace_id, week_start, '' AS scope, '' AS scope_value, dimension, class, domain_id, value, clicks
      FROM dimension_summaries JOIN used_day USING (workspace_id, period_start)
      UNION ALL
      SELECT workspace_id, week_start, '', '', 'link_id', class, domain_id, link_id::text, clicks
      FROM link_summaries JOIN used_day USING (workspace_id, period_start)
      UNION ALL
      SELECT workspace_id, week_start, scope, scope_value, dimension, class, domain_id, member, member_count
      FROM scope_summaries JOIN used_day USING (workspace_id, period_start)
      JOIN used_scope USING (workspace_id, week_start, scope, scope_value, dimension)
      CROSS JOIN LATERAL unnest(member_values, member_clicks) AS part (member, member_count)
    ) AS of_day
    GROUP BY ${KEY}
  ), kept AS (
    SELECT workspace_id, week_start, '' AS scope, '' AS scope_value, dimension, class, domain_id, value, clicks
    FROM dimension_weeks JOIN used USING (workspace_id, week_start)
    UNION ALL
    SELECT workspace_id, week_start, '', '', 'link_id', class, domain_id, link_id::text, clicks
    FROM link_weeks JOIN used USING (workspace_id, week_start)
    UNION ALL
    SELECT workspace_id, week_start, scope, scope_value, dimension, class, domain_id, member, member_count
    FROM scope_weeks JOIN used_scope USING (workspace_id, week_start, scope, scope_value, dimension)
    CROSS JOIN LATERAL unnest(member_values, member_clicks) AS part (member, member_count)
  )
  SELECT COALESCE(sum(abs(COALESCE(folded.clicks, 0) - COALESCE(kept.clicks, 0))), 0)::float8 AS drift
  FROM folded FULL JOIN kept USING (${KEY})`;
