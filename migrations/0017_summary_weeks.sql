-- Summaries of whole weeks, folded from those of their days (0014): a wide range reads one row a value and week instead
-- of seven. A week is seven UTC days and begins on a multiple of seven days since the epoch, which is a Thursday.
--
-- A week's rows stand for the rows of its days, and are used only while all seven of these are days that may be used
-- and `summary_weeks.clicks` is the sum of theirs. So a day that a click came late to, or that was made again since,
-- makes its week unused until the job has folded it again. Whoever empties summary_periods empties summary_weeks too.

CREATE TABLE IF NOT EXISTS summary_weeks (
  workspace_id uuid NOT NULL,
  week_start timestamptz NOT NULL,
  -- Of the seven days that the rows of the week were made of.
  clicks bigint NOT NULL,
  PRIMARY KEY (workspace_id, week_start)
);

-- One row a value of one dimension.
CREATE TABLE IF NOT EXISTS dimension_weeks (
  workspace_id uuid NOT NULL,
  -- The column of click_events.
  dimension text NOT NULL,
  week_start timestamptz NOT NULL,
  class text NOT NULL,
  domain_id uuid NOT NULL,
  -- Empty: not known.
  value text NOT NULL,
  clicks bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS dimension_weeks_by_dimension
  ON dimension_weeks (workspace_id, dimension, week_start, class);

-- One row a link.
CREATE TABLE IF NOT EXISTS link_weeks (
  workspace_id uuid NOT NULL,
  week_start timestamptz NOT NULL,
  class text NOT NULL,
  link_id uuid NOT NULL,
  domain_id uuid NOT NULL,
  clicks bigint NOT NULL,
  PRIMARY KEY (workspace_id, week_start, class, link_id, domain_id) INCLUDE (clicks)
);

-- The values inside one link or one country that all seven days have rows of.
CREATE TABLE IF NOT EXISTS scope_weeks (
  workspace_id uuid NOT NULL,
  -- The columns of click_events: what was chosen, and what is counted inside it.
  scope text NOT NULL,
  scope_value text NOT NULL,
  dimension text NOT NULL,
  week_start timestamptz NOT NULL,
  class text NOT NULL,
  domain_id uuid NOT NULL,
  -- Of the same length. Empty: not known.
  member_values text[] NOT NULL,
  member_clicks bigint[] NOT NULL,
  PRIMARY KEY (workspace_id, scope, scope_value, dimension, week_start, class, domain_id)
);

-- The scheduled job looks for weeks of all workspaces.
CREATE INDEX IF NOT EXISTS summary_periods_by_time ON summary_periods (period_start);
