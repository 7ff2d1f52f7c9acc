-- Clicks counted ahead by what they were, for periods that are over: made in bulk by the consumer's scheduled job, not
-- by the statement that writes a click.
--
-- A period's rows are used only while `summary_periods.clicks` is what `workspace_rollups` says of the same time. That
-- table is written together with the events, so a click that comes late makes its period unused in the moment it is
-- counted; questions then read the events of that period until the job has made it again. Nothing has to be locked or
-- marked, and where the job never runs, answers are the same and only take longer.

CREATE TABLE IF NOT EXISTS summary_periods (
  workspace_id uuid NOT NULL,
  -- An hour or a day (UTC); periods of a workspace do not overlap.
  period_start timestamptz NOT NULL,
  period_end timestamptz NOT NULL,
  -- Events that the rows of the period were made of.
  clicks bigint NOT NULL,
  -- Different visitors of human clicks, and of all. NULL for periods shorter than a day.
  human_visitors bigint,
  visitors bigint,
  PRIMARY KEY (workspace_id, period_start)
);

-- One row a value of one dimension.
CREATE TABLE IF NOT EXISTS dimension_summaries (
  workspace_id uuid NOT NULL,
  -- The column of click_events.
  dimension text NOT NULL,
  period_start timestamptz NOT NULL,
  class text NOT NULL,
  domain_id uuid NOT NULL,
  -- Empty: not known.
  value text NOT NULL,
  clicks bigint NOT NULL,
  -- The quarters of an hour with clicks, counted from period_start, and their clicks: days of zones like +05:45 and the
  -- edges of a range are cut from these.
  quarters smallint[] NOT NULL,
  quarter_clicks integer[] NOT NULL
);
CREATE INDEX IF NOT EXISTS dimension_summaries_by_dimension
  ON dimension_summaries (workspace_id, dimension, period_start, class);

-- One row a link: what the list of a workspace's links, and what tags answer, is made from.
CREATE TABLE IF NOT EXISTS link_summaries (
  workspace_id uuid NOT NULL,
  period_start timestamptz NOT NULL,
  class text NOT NULL,
  link_id uuid NOT NULL,
  domain_id uuid NOT NULL,
  clicks bigint NOT NULL,
  -- As above.
  quarters smallint[] NOT NULL,
  quarter_clicks integer[] NOT NULL,
  PRIMARY KEY (workspace_id, period_start, class, link_id, domain_id) INCLUDE (clicks)
);

-- The values inside one link or one country, where it has many clicks in a day: all values of a dimension in one row.
CREATE TABLE IF NOT EXISTS scope_summaries (
  workspace_id uuid NOT NULL,
  -- The columns of click_events: what was chosen, and what is counted inside it.
  scope text NOT NULL,
  scope_value text NOT NULL,
  dimension text NOT NULL,
  period_start timestamptz NOT NULL,
  class text NOT NULL,
  domain_id uuid NOT NULL,
  -- Of the same length. Empty: not known.
  member_values text[] NOT NULL,
  member_clicks integer[] NOT NULL,
  PRIMARY KEY (workspace_id, scope, scope_value, dimension, period_start, class, domain_id)
);

-- The scheduled job looks for periods of all workspaces.
CREATE INDEX IF NOT EXISTS workspace_rollups_by_time ON workspace_rollups (bucket_start);

-- Since when events are complete: written by retention before it removes any. No row: nothing was removed.
CREATE TABLE IF NOT EXISTS event_retention (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  kept_from timestamptz NOT NULL
);

-- One link's clicks with filters, from the index alone: the dimensions that are asked about most are in it. While it is
-- built (35 s for ten million clicks, measured on a busy machine) clicks wait in their queues; redirects do not.
CREATE INDEX IF NOT EXISTS click_events_of_link ON click_events (link_id, clicked_at DESC)
  INCLUDE (workspace_id, class, country, device, referrer_host, city, browser, os, source, language);
DROP INDEX IF EXISTS click_events_by_link;
-- An index alone can answer for pages that vacuum has seen: see new ones soon.
ALTER TABLE click_events SET (autovacuum_vacuum_insert_scale_factor = 0.02);
