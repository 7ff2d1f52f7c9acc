-- The summaries of 0014-0018 are replaced by the cube (0023). What they know of days whose clicks retention has removed is moved,
-- because such a day can no longer be made from its clicks. The consumer makes all other days; until then analytics read clicks.

-- Summaries had all values of a workspace, but not the inside of small links or rare countries: such numbers are marked as incomplete.
ALTER TABLE cube_days ADD COLUMN IF NOT EXISTS is_whole boolean NOT NULL DEFAULT true;

DO $$
BEGIN
  IF to_regclass('summary_periods') IS NULL THEN
    RETURN;
  END IF;

  CREATE TEMPORARY TABLE old_days ON COMMIT DROP AS
  SELECT workspace_id, period_start, clicks FROM summary_periods AS period
  WHERE period_end = period_start + interval '24 hours'
    AND EXISTS (SELECT FROM event_retention WHERE kept_from > period_start)
    AND NOT EXISTS (SELECT FROM cube_days WHERE cube_days.workspace_id = period.workspace_id AND day = period_start)
    AND clicks = (SELECT sum(rollup.clicks) FROM workspace_rollups AS rollup
      WHERE rollup.workspace_id = period.workspace_id AND bucket_start >= period_start AND bucket_start < period_end);

  INSERT INTO click_cube (workspace_id, scope, scope_value, day, slice, class, domain_id, clicks,
    quarter, quarter_clicks,
    link_id, link_id_clicks,
    rule_id, rule_id_clicks,
    variant_id, variant_id_clicks,
    destination, destination_clicks,
    source, source_clicks,
    referrer_host, referrer_host_clicks,
    country, country_clicks,
    region, region_clicks,
    city, city_clicks,
    continent, continent_clicks,
    browser, browser_clicks,
    os, os_clicks,
    device, device_clicks,
    language, language_clicks,
    colo, colo_clicks,
    utm_source, utm_source_clicks,
    utm_medium, utm_medium_clicks,
    utm_campaign, utm_campaign_clicks,
    utm_term, utm_term_clicks,
    utm_content, utm_content_clicks)
  WITH by_quarter AS (
    SELECT workspace_id, period_start, class, domain_id, dimension, value, unnest(quarters)::text AS quarter,
      unnest(quarter_clicks) AS clicks
    FROM dimension_summaries JOIN old_days USING (workspace_id, period_start)
    UNION ALL
    SELECT workspace_id, period_start, class, domain_id, 'link_id', link_id::text, unnest(quarters)::text,
      unnest(quarter_clicks)
    FROM link_summaries JOIN old_days USING (workspace_id, period_start)
  ), part AS (
    SELECT workspace_id, period_start, '' AS scope, '' AS place, class, domain_id, dimension, value, clicks FROM by_quarter
    UNION ALL
    SELECT workspace_id, period_start, '', '', class, domain_id, 'quarter', quarter, clicks
    FROM by_quarter WHERE dimension = 'link_id'
    UNION ALL
    SELECT workspace_id, period_start, 'quarter', quarter, class, domain_id, dimension, value, clicks FROM by_quarter
    UNION ALL
    SELECT workspace_id, period_start, 'link_id', value, class, domain_id, 'quarter', quarter, clicks
    FROM by_quarter WHERE dimension = 'link_id'
    UNION ALL
    SELECT workspace_id, period_start, scope, scope_value, class, domain_id, dimension, unnest(member_values),
      unnest(member_clicks)
    FROM scope_summaries JOIN old_days USING (workspace_id, period_start)
  ), value AS (
    SELECT workspace_id, period_start, scope, place, class, domain_id, dimension, value, sum(clicks)::integer AS clicks
    FROM part GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  ), list AS (
    SELECT workspace_id, period_start, scope, place, class, domain_id, dimension, sum(clicks) AS clicks,
      array_agg(value) AS members, array_agg(clicks) AS numbers
    FROM value GROUP BY 1, 2, 3, 4, 5, 6, 7
  )
  SELECT workspace_id, scope, place, period_start, 0, class, domain_id, max(clicks),
    COALESCE(max(members) FILTER (WHERE dimension = 'quarter'), '{}')::smallint[], COALESCE(max(numbers) FILTER (WHERE dimension = 'quarter'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'link_id'), '{}')::uuid[], COALESCE(max(numbers) FILTER (WHERE dimension = 'link_id'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'rule_id'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'rule_id'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'variant_id'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'variant_id'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'destination'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'destination'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'source'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'source'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'referrer_host'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'referrer_host'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'country'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'country'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'region'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'region'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'city'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'city'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'continent'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'continent'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'browser'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'browser'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'os'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'os'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'device'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'device'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'language'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'language'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'colo'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'colo'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'utm_source'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'utm_source'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'utm_medium'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'utm_medium'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'utm_campaign'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'utm_campaign'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'utm_term'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'utm_term'), '{}'),
    COALESCE(max(members) FILTER (WHERE dimension = 'utm_content'), '{}')::text[], COALESCE(max(numbers) FILTER (WHERE dimension = 'utm_content'), '{}')
  FROM list GROUP BY workspace_id, scope, place, period_start, class, domain_id;

  -- A running number of visitors becomes the numbers of its quarters of an hour.
  INSERT INTO cube_visitors (workspace_id, scope, scope_value, of_humans, day, day_clicks,
    first_quarters, first_visitors, last_quarters, last_visitors)
  SELECT workspace_id, CASE scope WHEN 'workspace' THEN '' ELSE scope END, scope_value, of_humans, period_start, clicks,
    first_quarters, ARRAY(SELECT seen_by[place] - COALESCE(seen_by[place - 1], 0)
      FROM generate_subscripts(seen_by, 1) AS place ORDER BY place),
    last_quarters, ARRAY(SELECT seen_since[place] - COALESCE(seen_since[place + 1], 0)
      FROM generate_subscripts(seen_since, 1) AS place ORDER BY place)
  FROM visitor_summaries JOIN old_days USING (workspace_id, period_start);

  INSERT INTO cube_days (workspace_id, day, slice, end_quarter, clicks, is_whole)
  SELECT workspace_id, period_start, 0, 96, clicks, false FROM old_days;

  -- The newest first.
  INSERT INTO work (kind, key, due_at, wanted_at)
  SELECT 'summary', workspace_id || to_char(day AT TIME ZONE 'UTC', '/YYYY-MM-DD'), 
    CASE WHEN over <= now() THEN timestamptz '2000-01-01' + (now() - day) ELSE over END, greatest(now(), over)
  FROM (
    SELECT DISTINCT workspace_id, day, day + interval '24 hours 10 minutes' AS over
    FROM (SELECT workspace_id, date_bin('24 hours', bucket_start, 'epoch') AS day FROM workspace_rollups) AS bucket
  ) AS found
  WHERE NOT EXISTS (SELECT FROM event_retention WHERE kept_from > day)
  ON CONFLICT (kind, key) DO NOTHING;
END
$$;

DROP TABLE IF EXISTS summary_periods, dimension_summaries, link_summaries, scope_summaries, visitor_summaries,
  summary_weeks, dimension_weeks, link_weeks, scope_weeks,
  tag_summaries, tag_periods, tag_memberships, tag_generations;

-- Links with one more filter are in the cube: the covering index of 0014 is a quarter of what a click takes.
CREATE INDEX IF NOT EXISTS click_events_by_link ON click_events (link_id, clicked_at DESC);
DROP INDEX IF EXISTS click_events_of_link;
