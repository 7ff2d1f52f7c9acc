/**
 * The statement that pre-aggregates one day's unique visitors (migrations/0016): of the workspace, of each country and of
 * each link with enough clicks, for human clicks and for all.
 */

type DayOfEvents = {
  /** Condition on `click_events`; `$1` is the workspace. */
  readonly period: string;
  /** The day's beginning, as a timestamptz. */
  readonly start: string;
  /** The quarter of an hour of the day that a click is in, as a smallint. */
  readonly quarter: string;
};

/** `$4`: clicks that a link needs to have rows. Places without a visitor have rows of empty arrays. */
export function insertVisitorSummaries({ period, start, quarter }: DayOfEvents): string {
  return `
  INSERT INTO visitor_summaries
    (workspace_id, scope, scope_value, of_humans, period_start, first_quarters, seen_by, last_quarters, seen_since)
  WITH event AS MATERIALIZED (
    SELECT link_id, COALESCE(country, '') AS country, class = 'human' AS is_human, visitor, ${quarter} AS quarter
    FROM click_events WHERE ${period}
  ), busy AS MATERIALIZED (
    SELECT link_id FROM event GROUP BY link_id HAVING count(*) >= $4::bigint
  ), seen AS MATERIALIZED (
    -- One row per visitor and place.
    SELECT CASE WHEN GROUPING(country) = 0 THEN 'country' WHEN GROUPING(busy.link_id) = 0 THEN 'link_id'
        ELSE 'workspace' END AS scope,
      COALESCE(country, busy.link_id::text, '') AS scope_value,
      min(quarter) AS first_quarter, max(quarter) AS last_quarter,
      min(quarter) FILTER (WHERE is_human) AS first_human, max(quarter) FILTER (WHERE is_human) AS last_human
    FROM event LEFT JOIN busy USING (link_id)
    WHERE visitor IS NOT NULL
    GROUP BY GROUPING SETS ((visitor), (visitor, country), (visitor, busy.link_id))
    HAVING GROUPING(busy.link_id) = 1 OR busy.link_id IS NOT NULL
  ), edge_counts AS MATERIALIZED (
    SELECT scope, scope_value, of_humans, is_first, quarter, count(*)::integer AS visitors
    FROM seen CROSS JOIN LATERAL (VALUES
      (false, true, first_quarter), (false, false, last_quarter), (true, true, first_human), (true, false, last_human)
    ) AS edge (of_humans, is_first, quarter)
    WHERE quarter IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5
  ), running AS (
    -- First visits are summed from the day's beginning, last visits from its end backwards.
    SELECT scope, scope_value, of_humans, is_first, quarter, (sum(visitors) OVER (
      PARTITION BY scope, scope_value, of_humans, is_first ORDER BY CASE WHEN is_first THEN quarter ELSE -quarter END
    ))::integer AS visitors
    FROM edge_counts
  ), place AS (
    SELECT 'workspace' AS scope, '' AS scope_value
    UNION ALL SELECT 'link_id', link_id::text FROM busy
    UNION ALL SELECT 'country', country FROM event GROUP BY country
  )
  SELECT $1::uuid, scope, scope_value, of_humans, ${start},
    COALESCE(array_agg(quarter ORDER BY quarter) FILTER (WHERE is_first), '{}'),
    COALESCE(array_agg(visitors ORDER BY quarter) FILTER (WHERE is_first), '{}'),
    COALESCE(array_agg(quarter ORDER BY quarter) FILTER (WHERE NOT is_first), '{}'),
    COALESCE(array_agg(visitors ORDER BY quarter) FILTER (WHERE NOT is_first), '{}')
  FROM place CROSS JOIN (VALUES (false), (true)) AS kind (of_humans)
  LEFT JOIN running USING (scope, scope_value, of_humans)
  GROUP BY scope, scope_value, of_humans`;
}
