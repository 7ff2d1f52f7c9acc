-- Who changed what, by triggers: no statement leaves it out. Who asked is the transaction's setting hopline.context: {"actor": "key:…",
-- "requestId": "…"} (workers/api/src/acting.ts); without it, the operator.
CREATE TABLE audit_log (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  at timestamptz NOT NULL DEFAULT clock_timestamp(), -- Within a transaction too, rows are in their order.
  workspace_id uuid, person_id uuid, -- Whose log it is in: a workspace's, or that of a person's account.
  actor text NOT NULL, -- person:<id>, key:<id>, jwt:<subject>, job:<kind of work>, anonymous, operator, operator:<reason>
  request_id text,
  action text NOT NULL, -- link.updated
  resource_id uuid,
  label text, -- The resource's name when this happened.
  before jsonb, after jsonb, -- By column, what changed. Never a secret, not even a hash.
  CHECK ((workspace_id IS NULL) <> (person_id IS NULL))
);
CREATE INDEX audit_log_by_workspace ON audit_log (workspace_id, at DESC, id DESC);
CREATE INDEX audit_log_by_actor ON audit_log (workspace_id, actor COLLATE "C", at DESC, id DESC);
CREATE INDEX audit_log_by_action ON audit_log (workspace_id, action, at DESC, id DESC);
CREATE INDEX audit_log_by_resource ON audit_log (resource_id, at DESC, id DESC);
CREATE INDEX audit_log_by_person ON audit_log (person_id, at DESC, id DESC) WHERE person_id IS NOT NULL;
CREATE INDEX audit_log_by_age ON audit_log USING brin (at) WITH (pages_per_range = 16); -- For what is too old: in order of time.

CREATE FUNCTION audit_context() RETURNS jsonb LANGUAGE sql STABLE
  AS $$ SELECT coalesce(nullif(current_setting('hopline.context', true), ''), '{}')::jsonb $$;

-- A row with what it keeps in one column, without what is null.
CREATE FUNCTION audit_fields(fields jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_strip_nulls((fields - '{smart,settings}'::text[]) || coalesce(fields -> 'smart', '{}') || coalesce(fields -> 'settings', '{}'))
$$;

-- The fields in which two states of a row differ; NULL if there are none. Of hidden ones, that they differ and which is empty.
CREATE FUNCTION audit_changes(former jsonb, latter jsonb, hidden text[], OUT before jsonb, OUT after jsonb)
  LANGUAGE sql IMMUTABLE AS $$
    SELECT
      jsonb_object_agg(key, CASE WHEN was IS NOT NULL AND key = ANY(hidden) THEN '"(secret)"' ELSE coalesce(was, 'null') END),
      jsonb_object_agg(key, CASE WHEN is_now IS NOT NULL AND key = ANY(hidden) THEN '"(secret)"' ELSE coalesce(is_now, 'null') END)
    FROM (SELECT key, former -> key AS was, latter -> key AS is_now FROM jsonb_object_keys(former || latter) AS key) AS field
    WHERE was IS DISTINCT FROM is_now
  $$;

-- A row for what no table shows by itself.
CREATE FUNCTION audit_event(of_workspace uuid, action text, resource_id uuid, label text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    INSERT INTO audit_log (workspace_id, actor, request_id, action, resource_id, label)
    VALUES (of_workspace, coalesce(audit_context() ->> 'actor', 'operator'), audit_context() ->> 'requestId',
      action, resource_id, label)
  $$;

-- A failed try to sign in to an account: without address, network or program, and nothing where there is no such account.
CREATE FUNCTION audit_refused_sign_in(address text) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    INSERT INTO audit_log (person_id, actor, request_id, action)
    SELECT id, 'anonymous', audit_context() ->> 'requestId', 'session.refused' FROM people WHERE email = address
  $$;
REVOKE EXECUTE ON FUNCTION audit_refused_sign_in(text) FROM PUBLIC;

-- Rows of all tables but links. Arguments: the resource's name, columns that no person edits, columns that may not be read.
CREATE FUNCTION audit_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  former jsonb := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE audit_fields(to_jsonb(OLD) - TG_ARGV[1]::text[]) END;
  latter jsonb := CASE WHEN TG_OP = 'DELETE' THEN '{}' ELSE audit_fields(to_jsonb(NEW) - TG_ARGV[1]::text[]) END;
  present jsonb := CASE WHEN TG_OP = 'DELETE' THEN former ELSE latter END;
  context jsonb := audit_context();
  person uuid := CASE WHEN TG_TABLE_NAME = 'people' THEN present ->> 'id' ELSE present ->> 'person_id' END;
  workspace uuid := CASE WHEN TG_TABLE_NAME = 'workspaces' THEN present ->> 'id' ELSE present ->> 'workspace_id' END;
  is_ended boolean := coalesce(latter ->> 'deleted_at', latter ->> 'revoked_at') IS NOT NULL OR latter ->> 'status' = 'canceled';
  was_ended boolean := coalesce(former ->> 'deleted_at', former ->> 'revoked_at') IS NOT NULL;
  change record;
BEGIN
  -- No news: a row of what was deleted or has expired is removed. An account takes its log with it.
  IF TG_OP = 'DELETE' AND (was_ended OR (former ->> 'expires_at')::timestamptz < now()
    OR (workspace IS NOT NULL AND NOT EXISTS (SELECT FROM workspaces WHERE id = workspace AND deleted_at IS NULL))
    OR (workspace IS NULL AND NOT EXISTS (SELECT FROM people WHERE id = person))) THEN
    DELETE FROM audit_log WHERE TG_TABLE_NAME = 'people' AND person_id = person;
    RETURN NULL;
  END IF;
  SELECT * INTO change FROM audit_changes(former - 'id', latter - 'id', TG_ARGV[2]::text[]);
  IF change.after IS NULL THEN RETURN NULL; END IF;
  INSERT INTO audit_log (workspace_id, person_id, actor, request_id, action, resource_id, label, before, after)
  VALUES (
    workspace, CASE WHEN workspace IS NULL THEN person END,
    -- The person who signs in, signs up or accepts an invitation is not known before.
    coalesce(context ->> 'actor', CASE WHEN context ? 'requestId' THEN coalesce('person:' || person, 'anonymous') END, 'operator'),
    context ->> 'requestId',
    TG_ARGV[0] || CASE WHEN TG_OP = 'INSERT' THEN '.created'
      WHEN TG_OP = 'DELETE' OR (is_ended AND NOT was_ended) THEN '.deleted' ELSE '.updated' END,
    (present ->> 'id')::uuid,
    coalesce(present ->> 'host', present ->> 'name', present ->> 'email', present ->> 'provider_id',
      (SELECT email FROM people WHERE id = person)),
    CASE WHEN TG_OP <> 'INSERT' THEN change.before END,
    CASE WHEN TG_OP = 'INSERT' THEN jsonb_strip_nulls(change.after) WHEN TG_OP = 'UPDATE' THEN change.after END);
  RETURN NULL;
END $$;

CREATE TRIGGER workspaces_audit AFTER INSERT OR UPDATE OR DELETE ON workspaces
  FOR EACH ROW EXECUTE FUNCTION audit_row('workspace', '{version,created_at}', '{}');
CREATE TRIGGER domains_audit AFTER INSERT OR UPDATE OF host, settings, proof, suspended_at, deleted_at OR DELETE ON domains
  FOR EACH ROW EXECUTE FUNCTION audit_row('domain',
    '{version,record,proof_token,proved_at,checked_at,seen,missing_since,custom_hostname,released_at,created_at}', '{}');
CREATE TRIGGER api_keys_audit AFTER INSERT OR UPDATE OF name, scopes, expires_at, revoked_at OR DELETE ON api_keys
  FOR EACH ROW EXECUTE FUNCTION audit_row('key', '{key_hash,last_used_at,version,created_at}', '{}');
CREATE TRIGGER folders_audit AFTER INSERT OR UPDATE OR DELETE ON folders
  FOR EACH ROW EXECUTE FUNCTION audit_row('folder', '{version,created_at}', '{}');
CREATE TRIGGER tags_audit AFTER INSERT OR UPDATE ON tags
  FOR EACH ROW WHEN (NEW.is_kept) EXECUTE FUNCTION audit_row('tag', '{is_kept,created_at}', '{}');
CREATE TRIGGER tags_audit_deleted AFTER DELETE ON tags
  FOR EACH ROW WHEN (OLD.is_kept) EXECUTE FUNCTION audit_row('tag', '{is_kept,created_at}', '{}');
CREATE TRIGGER members_audit AFTER INSERT OR UPDATE OR DELETE ON members
  FOR EACH ROW EXECUTE FUNCTION audit_row('member', '{version,created_at}', '{}');
CREATE TRIGGER invitations_audit AFTER INSERT OR UPDATE OF email, role, bounds, status, inviter_id, expires_at OR DELETE ON invitations
  FOR EACH ROW EXECUTE FUNCTION audit_row('invitation', '{version,created_at,request_id}', '{}');
CREATE TRIGGER people_audit AFTER INSERT OR UPDATE OR DELETE ON people
  FOR EACH ROW EXECUTE FUNCTION audit_row('person', '{image,created_at,updated_at}', '{}');
CREATE TRIGGER accounts_audit AFTER INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION audit_row('account',
    '{access_token,refresh_token,id_token,access_token_expires_at,refresh_token_expires_at,account_id,created_at,updated_at}', '{password}');
CREATE TRIGGER passkeys_audit AFTER INSERT OR UPDATE OF name OR DELETE ON passkeys FOR EACH ROW EXECUTE FUNCTION audit_row('passkey',
    '{credential_id,public_key,counter,transports,is_synced,last_used_at,created_at}', '{}');
CREATE TRIGGER sessions_audit AFTER INSERT OR DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION audit_row('session', '{token,ip_address,user_agent,created_at,updated_at}', '{}');

-- Of a logo its size and its hash, never the picture; and nothing when it goes with its domain.
CREATE FUNCTION audit_logo() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  former jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) - '{domain_id,workspace_id,png,updated_at}'::text[] END;
  latter jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) - '{domain_id,workspace_id,png,updated_at}'::text[] END;
  context jsonb := audit_context();
BEGIN
  INSERT INTO audit_log (workspace_id, actor, request_id, action, resource_id, label, before, after)
  SELECT workspace_id, coalesce(context ->> 'actor', 'operator'), context ->> 'requestId',
    CASE TG_OP WHEN 'DELETE' THEN 'domain.logo_removed' ELSE 'domain.logo_set' END, id, host, former, latter
  FROM domains
  WHERE id = coalesce(NEW.domain_id, OLD.domain_id) AND deleted_at IS NULL AND (former ->> 'hash') IS DISTINCT FROM (latter ->> 'hash');
  RETURN NULL;
END $$;
CREATE TRIGGER domain_logos_audit AFTER INSERT OR UPDATE OR DELETE ON domain_logos FOR EACH ROW EXECUTE FUNCTION audit_logo();

-- What each version of a link was, and who made it: a click holds its link's version, and an edit can be undone.
CREATE TABLE link_versions (
  link_id uuid NOT NULL REFERENCES links (id) ON DELETE CASCADE, version bigint NOT NULL,
  destination text NOT NULL, -- Where visitors were sent who met no rule, no split and no scheduled switch.
  created_at timestamptz NOT NULL,
  actor text, -- As in audit_log. NULL: not known.
  -- All else that an edit can change, by column of `links`, without nulls; the cap, and the password's hash, which is never shown.
  state jsonb NOT NULL, PRIMARY KEY (link_id, version)
);

-- Writes versions of links, all columns but generated ones, and their rows of the log: with an id of their own, as the cap is written
-- after its link and completes them. Links of a group, such as a file, leave one row; links that end with their domain none.
CREATE FUNCTION keep_link_versions(of_links uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  context jsonb := audit_context();
  acting text := coalesce(context ->> 'actor', CASE WHEN context ? 'requestId' THEN 'anonymous' ELSE 'operator' END);
  grouped jsonb := context -> 'group';
BEGIN
  WITH kept AS (
    INSERT INTO link_versions AS kept (link_id, version, destination, created_at, actor, state)
    SELECT id, version, url, updated_at, acting, jsonb_strip_nulls(
      (to_jsonb(link) - ARRAY(
        SELECT unnest('{id,workspace_id,domain_id,url,version,record,created_at,updated_at,deleted_at,maker_id}'::text[])
        UNION ALL SELECT attname FROM pg_attribute WHERE attrelid = 'links'::regclass AND attgenerated <> ''))
      || jsonb_build_object('cap', (
        SELECT jsonb_build_object('mode', mode, 'max_clicks', max_clicks) FROM link_caps WHERE link_id = link.id)))
    FROM links AS link WHERE id = ANY(of_links) ORDER BY id
    ON CONFLICT (link_id, version) DO UPDATE SET destination = excluded.destination, state = excluded.state
    WHERE kept.destination <> excluded.destination OR kept.state <> excluded.state
    RETURNING link_id, version, destination, state, xmax = 0 AS is_new
  )
  INSERT INTO audit_log AS logged (id, workspace_id, actor, request_id, action, resource_id, label, before, after)
  SELECT md5(link_id::text || kept.version)::uuid, links.workspace_id, acting, context ->> 'requestId',
    'link.' || CASE WHEN former.state IS NULL THEN 'created' WHEN kept.state ->> 'state' = 'deleted' THEN 'deleted'
      WHEN former.state ->> 'state' = 'deleted' THEN 'restored' ELSE 'updated' END,
    link_id, host || '/' || links.slug, CASE WHEN former.state IS NOT NULL THEN change.before END, change.after
  FROM kept JOIN links ON links.id = link_id JOIN domains ON domains.id = links.domain_id
  LEFT JOIN LATERAL (
    SELECT audit_fields(state) || jsonb_build_object('url', destination) AS state FROM link_versions AS version_before
    WHERE version_before.link_id = kept.link_id AND version_before.version < kept.version ORDER BY version_before.version DESC LIMIT 1
  ) AS former ON true,
  audit_changes(coalesce(former.state, '{}'), audit_fields(kept.state) || jsonb_build_object('url', destination),
    '{password}') AS change
  WHERE grouped IS NULL AND change.after IS NOT NULL AND NOT (kept.state ->> 'state' = 'deleted' AND domains.deleted_at IS NOT NULL)
  UNION ALL
  SELECT (grouped ->> 'id')::uuid, workspace_id, acting, context ->> 'requestId', grouped ->> 'action', NULL, grouped ->> 'label', NULL,
    coalesce(grouped -> 'after', '{}') || jsonb_build_object('links', count(*))
  FROM kept JOIN links ON links.id = link_id WHERE grouped IS NOT NULL AND is_new GROUP BY workspace_id
  ON CONFLICT (id) DO UPDATE SET before = excluded.before,
    after = CASE WHEN grouped IS NULL THEN excluded.after ELSE excluded.after
        || jsonb_build_object('links', (logged.after ->> 'links')::bigint + (excluded.after ->> 'links')::bigint) END;
END $$;

CREATE FUNCTION version_links() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM keep_link_versions(ARRAY(SELECT id FROM written));
  RETURN NULL;
END $$;
CREATE TRIGGER links_version AFTER INSERT ON links REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION version_links();
CREATE TRIGGER links_version_changed AFTER UPDATE ON links REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION version_links();

-- A cap is written after its link, in the same transaction. Its uses are no edit.
CREATE FUNCTION version_capped_link() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM keep_link_versions(ARRAY[CASE TG_OP WHEN 'DELETE' THEN OLD.link_id ELSE NEW.link_id END]);
  RETURN NULL;
END $$;
CREATE TRIGGER link_caps_version AFTER INSERT OR DELETE OR UPDATE OF mode, max_clicks ON link_caps
  FOR EACH ROW EXECUTE FUNCTION version_capped_link();
