-- What the links of one tag had together, counted ahead by the job that makes the days (0014): a tag with many clicks in a
-- day is read like a link with many, however many links it has.
--
-- Links come to a tag and leave it, and a tag means the links that have it now. So a day's rows say which links they were
-- made of: those of a generation. Each change of a tag's links that the job meets begins a new one. A question takes the
-- day's rows, adds what links had that came since, and takes away what those had that left. Where these had many clicks,
-- the job makes the day's rows of the tag again.

-- All values of one dimension in one row, as in scope_summaries.
CREATE TABLE IF NOT EXISTS tag_summaries (
  workspace_id uuid NOT NULL,
  tag text NOT NULL,
  -- The column of click_events; or `quarter`, the quarters of an hour counted from period_start.
  dimension text NOT NULL,
  period_start timestamptz NOT NULL,
  class text NOT NULL,
  domain_id uuid NOT NULL,
  -- Of the same length. Empty: not known.
  member_values text[] NOT NULL,
  member_clicks integer[] NOT NULL,
  PRIMARY KEY (workspace_id, tag, dimension, period_start, class, domain_id)
);

-- Days that a tag has rows of. They may be used only while `clicks` is what `summary_periods` says of the same day.
CREATE TABLE IF NOT EXISTS tag_periods (
  workspace_id uuid NOT NULL,
  tag text NOT NULL,
  period_start timestamptz NOT NULL,
  -- Of the whole workspace, as in summary_periods: a day made again by who does not know this table has another number.
  -- Below 0, inside the transaction of who makes the day: so many clicks its links had, and one.
  clicks bigint NOT NULL,
  generation integer NOT NULL,
  PRIMARY KEY (workspace_id, tag, period_start)
);

-- The links of a tag, by generations.
CREATE TABLE IF NOT EXISTS tag_memberships (
  workspace_id uuid NOT NULL,
  tag text NOT NULL,
  link_id uuid NOT NULL,
  -- The first with the link, and the first without it; NULL: none yet.
  from_generation integer NOT NULL,
  to_generation integer,
  PRIMARY KEY (workspace_id, tag, link_id, from_generation)
);

-- The last generation of a tag, and the last that all its days were made for: a tag whose links changed since has days to
-- be looked at.
CREATE TABLE IF NOT EXISTS tag_generations (
  workspace_id uuid NOT NULL,
  tag text NOT NULL,
  generation integer NOT NULL,
  -- 0: none.
  counted_generation integer NOT NULL,
  PRIMARY KEY (workspace_id, tag)
);

-- Whether the day's tags are counted: days from before this table are made again.
ALTER TABLE summary_periods ADD COLUMN IF NOT EXISTS with_tags boolean NOT NULL DEFAULT false;
