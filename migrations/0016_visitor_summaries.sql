-- Unique visitors counted ahead, for days (UTC) that are over: of a workspace, of each country, and of each link with
-- many clicks that day.
--
-- The key behind a visitor's hash changes with the UTC day, so no visitor is in two days, and the numbers of different
-- days may be added. Inside a day two numbers are kept by quarter of an hour: how many visitors had come by its end, and
-- how many came in it or later. Any part of the day that begins or ends at one of its midnights is exact from these:
-- days of a zone like +05:45, weeks, months, and the ends of a range. Only a part strictly inside a day needs the events.
--
-- Rows are used as those of 0014 are: while their period's clicks are what workspace_rollups say.

CREATE TABLE IF NOT EXISTS visitor_summaries (
  workspace_id uuid NOT NULL,
  -- 'workspace', or the column of click_events that was chosen: 'country' or 'link_id'. A day that has its row
  -- 'workspace' has one for each of its countries; links with few clicks have none.
  scope text NOT NULL,
  -- Empty: the workspace as a whole; a country that is not known.
  scope_value text NOT NULL,
  -- Of human clicks, or of all.
  of_humans boolean NOT NULL,
  period_start timestamptz NOT NULL,
  -- The quarters of an hour, counted from period_start, in which visitors came for the first time that day, ascending;
  -- and how many different ones had come by the end of each. A row is at most 1.4 KB and so never stored out of line.
  first_quarters smallint[] NOT NULL,
  seen_by integer[] NOT NULL,
  -- Those in which visitors came for the last time that day, ascending; and how many came in each of them or later.
  last_quarters smallint[] NOT NULL,
  seen_since integer[] NOT NULL,
  PRIMARY KEY (workspace_id, scope, scope_value, of_humans, period_start)
);

-- visitors and human_visitors of summary_periods are written and read no longer; a later migration removes them, when no
-- Worker that still writes them can be running. The job makes the rows of the days before; those whose events are gone
-- keep no number of visitors.
