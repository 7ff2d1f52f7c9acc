-- What analytics read besides the rollups by link.

-- A workspace's single clicks, newest first.
CREATE INDEX IF NOT EXISTS click_events_by_workspace ON click_events (workspace_id, clicked_at DESC, event_id DESC);

-- Whole workspaces and domains, in the 15-minute UTC buckets of click_rollups: their charts must not add up a row for
-- each link and bucket. Clicks that belong to no workspace are in none.
CREATE TABLE IF NOT EXISTS workspace_rollups (
  workspace_id uuid NOT NULL,
  bucket_start timestamptz NOT NULL,
  domain_id uuid NOT NULL,
  class text NOT NULL,
  clicks bigint NOT NULL,
  PRIMARY KEY (workspace_id, bucket_start, domain_id, class)
) WITH (fillfactor = 70);

-- One row a UTC day and value of one dimension. Days of other zones are cut from these and, at both ends, from events.
CREATE TABLE IF NOT EXISTS dimension_rollups (
  workspace_id uuid NOT NULL,
  -- The column of click_events.
  dimension text NOT NULL,
  day_start timestamptz NOT NULL,
  domain_id uuid NOT NULL,
  class text NOT NULL,
  -- MD5 of the value: an index entry holds no 8,192 characters.
  value_key uuid NOT NULL,
  -- Empty: not known.
  value text NOT NULL,
  clicks bigint NOT NULL,
  PRIMARY KEY (workspace_id, dimension, day_start, domain_id, class, value_key)
) WITH (fillfactor = 70);

-- One row a UTC day and link: what the list of a workspace's links is made from.
CREATE TABLE IF NOT EXISTS link_day_rollups (
  workspace_id uuid NOT NULL,
  day_start timestamptz NOT NULL,
  link_id uuid NOT NULL,
  class text NOT NULL,
  domain_id uuid NOT NULL,
  clicks bigint NOT NULL,
  PRIMARY KEY (workspace_id, day_start, link_id, class)
) WITH (fillfactor = 70);

-- What was clicked before these tables were there. The migration is one transaction, and the locks keep clicks out
-- until it is done: a click is in them once.
LOCK TABLE click_rollups, workspace_rollups, link_day_rollups, dimension_rollups IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO workspace_rollups (workspace_id, bucket_start, domain_id, class, clicks)
SELECT workspace_id, date_bin('15 minutes', clicked_at, 'epoch'), domain_id, class, count(*)
FROM click_events
WHERE workspace_id IS NOT NULL AND NOT EXISTS (SELECT FROM workspace_rollups)
GROUP BY 1, 2, 3, 4;
INSERT INTO link_day_rollups (workspace_id, day_start, link_id, class, domain_id, clicks)
SELECT workspace_id, date_bin('1 day', clicked_at, 'epoch'), link_id, class, domain_id, count(*)
FROM click_events
WHERE workspace_id IS NOT NULL AND NOT EXISTS (SELECT FROM link_day_rollups)
GROUP BY 1, 2, 3, 4, 5;
INSERT INTO dimension_rollups (workspace_id, dimension, day_start, domain_id, class, value_key, value, clicks)
SELECT workspace_id, dimension, day_start, domain_id, class, md5(value)::uuid, value, clicks
FROM (
  SELECT workspace_id, dimension, date_bin('1 day', clicked_at, 'epoch') AS day_start, domain_id, class,
    COALESCE(value, '') AS value, count(*) AS clicks
  FROM click_events
  CROSS JOIN LATERAL (VALUES
    ('rule_id', rule_id), ('destination', destination), ('source', source),
    ('referrer_host', referrer_host), ('country', country), ('region', region), ('city', city),
    ('continent', continent), ('browser', browser), ('os', os), ('device', device), ('language', language),
    ('colo', colo), ('utm_source', utm_source), ('utm_medium', utm_medium), ('utm_campaign', utm_campaign),
    ('utm_term', utm_term), ('utm_content', utm_content)
  ) AS part (dimension, value)
  WHERE workspace_id IS NOT NULL AND NOT EXISTS (SELECT FROM dimension_rollups)
  GROUP BY 1, 2, 3, 4, 5, 6
) AS days;
