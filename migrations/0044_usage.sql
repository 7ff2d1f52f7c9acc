-- What a workspace uses in a month, and what it may. Redirects know nothing of it.

-- Requests to the API by month (UTC). Counted by the minute, as the window of request_counts ends: exact but for a minute that a
-- crash takes. Clicks and links are counted where they are.
CREATE TABLE IF NOT EXISTS workspace_requests (
  workspace_id uuid NOT NULL,
  month date NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (workspace_id, month)
);

-- Requests of the window before this one, which are added to the month with the first request of this one.
ALTER TABLE request_counts ADD COLUMN IF NOT EXISTS earlier integer NOT NULL DEFAULT 0;

-- The operator sets them; a workspace without a row has none, nor has one with NULL.
CREATE TABLE IF NOT EXISTS workspace_limits (
  workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  -- That are not deleted.
  links bigint CHECK (links >= 0),
  -- In a calendar month (UTC).
  clicks bigint CHECK (clicks >= 0),
  requests bigint CHECK (requests >= 0)
);

CREATE OR REPLACE FUNCTION this_month() RETURNS date LANGUAGE sql STABLE AS $$
  SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date
$$;

-- Of every class.
CREATE OR REPLACE FUNCTION clicks_this_month(of_workspace uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(clicks), 0)::bigint FROM workspace_rollups
  WHERE workspace_id = of_workspace AND bucket_start >= this_month()::timestamp AT TIME ZONE 'UTC'
$$;

-- How many links the workspace may still create; NULL: as many as it likes.
CREATE OR REPLACE FUNCTION links_left(of_workspace uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN limits.clicks IS NOT NULL AND clicks_this_month(of_workspace) >= limits.clicks THEN 0
    WHEN limits.links IS NOT NULL THEN greatest(0, limits.links - (
      SELECT count(*) FROM links WHERE workspace_id = of_workspace AND state <> 'deleted')) END
  FROM workspace_limits AS limits WHERE limits.workspace_id = of_workspace
$$;
