-- Pre-aggregated clicks: one cube of UTC days (packages/analytics/README.md says how it is read). It replaces the summaries of
-- 0014-0018.
--
-- A row is a cell: the clicks of one class and one domain, of one value of one scope, on one day. For every other dimension it
-- holds the values that occur among these clicks, and how many clicks each has. NULL in place of the values: all are unknown.
-- NULL in place of the numbers: there is one value, and it has all clicks of the cell.
CREATE TABLE IF NOT EXISTS click_cube (
  workspace_id uuid NOT NULL,
  -- Empty: the workspace; 'quarter': the quarter of an hour, counted from the day's beginning; or a column of click_events.
  scope text NOT NULL,
  -- As text. Empty: the workspace, or unknown.
  scope_value text NOT NULL,
  day timestamptz NOT NULL,
  -- A day may be made in several parts, whose clicks are added up.
  slice integer NOT NULL,
  class text NOT NULL,
  domain_id uuid NOT NULL,
  clicks bigint NOT NULL,
  quarter smallint[],
  quarter_clicks integer[],
  link_id uuid[],
  link_id_clicks integer[],
  rule_id text[],
  rule_id_clicks integer[],
  variant_id text[],
  variant_id_clicks integer[],
  destination text[],
  destination_clicks integer[],
  source text[],
  source_clicks integer[],
  referrer_host text[],
  referrer_host_clicks integer[],
  country text[],
  country_clicks integer[],
  region text[],
  region_clicks integer[],
  city text[],
  city_clicks integer[],
  continent text[],
  continent_clicks integer[],
  browser text[],
  browser_clicks integer[],
  os text[],
  os_clicks integer[],
  device text[],
  device_clicks integer[],
  language text[],
  language_clicks integer[],
  colo text[],
  colo_clicks integer[],
  utm_source text[],
  utm_source_clicks integer[],
  utm_medium text[],
  utm_medium_clicks integer[],
  utm_campaign text[],
  utm_campaign_clicks integer[],
  utm_term text[],
  utm_term_clicks integer[],
  utm_content text[],
  utm_content_clicks integer[],
  PRIMARY KEY (workspace_id, scope, scope_value, day, slice, class, domain_id)
) WITH (toast_tuple_target = 8160); -- a question reads two of the arrays: fetching each from elsewhere costs more than wide rows
CREATE INDEX IF NOT EXISTS click_cube_by_day ON click_cube (workspace_id, day);

-- The slices of days. A day is read from the cube only while its slices have as many clicks as workspace_rollups, which is
-- written together with the events: a late click makes its day unused in the moment it is counted, until the day is made again.
CREATE TABLE IF NOT EXISTS cube_days (
  workspace_id uuid NOT NULL,
  day timestamptz NOT NULL,
  -- The first quarter of an hour of the slice; from 100 on: clicks that came after retention had removed the day's events.
  slice integer NOT NULL,
  -- The end of the slice, exclusive.
  end_quarter integer NOT NULL,
  clicks bigint NOT NULL,
  PRIMARY KEY (workspace_id, day, slice)
);

-- Unique visitors by UTC day: the key of a visitor's hash changes daily, so the numbers of different days may be added up.
-- first_quarters: the quarters of an hour in which visitors came first that day, with how many; last_quarters: in which they came
-- last. So every part of a day that begins or ends at midnight is exact.
CREATE TABLE IF NOT EXISTS cube_visitors (
  workspace_id uuid NOT NULL,
  -- Empty (the workspace), 'country' or 'link_id'.
  scope text NOT NULL,
  scope_value text NOT NULL,
  of_humans boolean NOT NULL,
  day timestamptz NOT NULL,
  -- All clicks of the workspace's day. The rows are used only while the rollups have the same number.
  day_clicks bigint NOT NULL,
  first_quarters smallint[] NOT NULL,
  first_visitors integer[] NOT NULL,
  last_quarters smallint[] NOT NULL,
  last_visitors integer[] NOT NULL,
  PRIMARY KEY (workspace_id, scope, scope_value, of_humans, day)
);
CREATE INDEX IF NOT EXISTS cube_visitors_by_day ON cube_visitors (workspace_id, day);
