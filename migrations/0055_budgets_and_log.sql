-- What an owner may use over all workspaces that they own, beside what each of them may: another workspace is no other budget. The
-- operator sets it; a person without a row has none, nor has one with NULL.
CREATE TABLE IF NOT EXISTS person_limits (
  person_id uuid PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
  -- That are not deleted.
  links bigint CHECK (links >= 0),
  -- In a calendar month (UTC).
  clicks bigint CHECK (clicks >= 0),
  requests bigint CHECK (requests >= 0)
);

-- Whether an owner of the workspace has used up their requests of this month.
CREATE OR REPLACE FUNCTION owner_requests_used_up(of_workspace uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM members AS owner JOIN person_limits AS limits USING (person_id)
    WHERE owner.workspace_id = of_workspace AND owner.role = 'owner' AND limits.requests <= (
      SELECT coalesce(sum(coalesce(month.requests, 0) + coalesce(minute.requests, 0)), 0)
      FROM members AS owned
      LEFT JOIN workspace_requests AS month ON month.workspace_id = owned.workspace_id AND month.month = this_month()
      LEFT JOIN request_counts AS minute ON minute.subject = 'ws:' || owned.workspace_id
      WHERE owned.person_id = owner.person_id AND owned.role = 'owner'))
$$;

-- As in 0044, and with what the workspace's owners may.
CREATE OR REPLACE FUNCTION links_left(of_workspace uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT least(
    (SELECT CASE
      WHEN limits.clicks IS NOT NULL AND clicks_this_month(of_workspace) >= limits.clicks THEN 0
      WHEN limits.links IS NOT NULL THEN greatest(0, limits.links - (
        SELECT count(*) FROM links WHERE workspace_id = of_workspace AND state <> 'deleted')) END
    FROM workspace_limits AS limits WHERE limits.workspace_id = of_workspace),
    (SELECT min(CASE
      WHEN limits.clicks IS NOT NULL AND (
        SELECT sum(clicks_this_month(owned.workspace_id)) FROM members AS owned
        WHERE owned.person_id = owner.person_id AND owned.role = 'owner') >= limits.clicks THEN 0
      WHEN limits.links IS NOT NULL THEN greatest(0, limits.links - (
        SELECT count(*) FROM members AS owned JOIN links USING (workspace_id)
        WHERE owned.person_id = owner.person_id AND owned.role = 'owner' AND state <> 'deleted')) END)
    FROM members AS owner JOIN person_limits AS limits USING (person_id)
    WHERE owner.workspace_id = of_workspace AND owner.role = 'owner'))
$$;

-- The log's filters.
CREATE INDEX IF NOT EXISTS audit_log_by_actor ON audit_log (workspace_id, actor COLLATE "C", at DESC, id DESC);
CREATE INDEX IF NOT EXISTS audit_log_by_action ON audit_log (workspace_id, action, at DESC, id DESC);

-- Somebody tried to sign in to an account and did not know how: without an address, a network or a program, and nothing where there is
-- no such account.
CREATE OR REPLACE FUNCTION audit_refused_sign_in(address text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    INSERT INTO audit_log (person_id, actor, request_id, action)
    SELECT id, 'anonymous', audit_context() ->> 'requestId', 'session.refused' FROM people WHERE email = address
  $$;
REVOKE EXECUTE ON FUNCTION audit_refused_sign_in(text) FROM PUBLIC;
