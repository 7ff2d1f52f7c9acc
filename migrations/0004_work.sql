-- Work that a Worker does later, once: changes to publish, links whose cap is used up, scheduled jobs. Done work has no row.
CREATE TABLE work (
  kind text NOT NULL, -- What is to be done. A Worker claims the kinds that it has a handler for.
  key text NOT NULL, -- To what: at most one row for each, however often it is asked for.
  payload jsonb NOT NULL DEFAULT '{}',
  revision bigint NOT NULL DEFAULT 1, -- Of each time it was enqueued: settling an older one leaves the newer one to be done.
  wanted_at timestamptz NOT NULL DEFAULT now(), -- Since when it should be done: the age of the backlog. Leases and retries leave it.
  due_at timestamptz NOT NULL DEFAULT now(), -- When it may be claimed: a lease moves it to its own end, past what no Worker has.
  lease uuid, -- Who works on it, until due_at.
  attempts integer NOT NULL DEFAULT 0, -- Claims since it was last done or enqueued, those included that never came back.
  last_error text, -- SQLSTATE or name of the last error; never its message, which may quote data.
  PRIMARY KEY (kind, key)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500); -- rows change often and go soon: dead ones pile up
CREATE INDEX work_by_due ON work (kind, due_at);
-- Whether a host has changes that are not published yet: before it is given to its next owner.
CREATE INDEX work_unpublished_by_host ON work (split_part(key, '/', 1)) WHERE kind = 'publish' AND payload ->> 'isPublished' IS NULL;
-- How long the oldest item of each kind has waited, and what fails: for metrics and `pnpm doctor`.
CREATE INDEX work_by_wanted ON work (kind, wanted_at);
CREATE INDEX work_failing ON work (kind) WHERE last_error IS NOT NULL;

-- Writes to KV by day (UTC), counted only where KV_WRITES_PER_DAY limits them.
CREATE TABLE kv_writes (day date PRIMARY KEY, writes bigint NOT NULL DEFAULT 0);

-- A tag's cells (packages/analytics/README.md) are made again when links get or lose it: one item a workspace, once a transaction.
CREATE FUNCTION enqueue_tag_cells() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM work WHERE kind = 'tags' AND key = OLD.workspace_id::text
      AND (work.xmin = pg_current_xact_id()::xid
        OR (lease IS NULL AND payload = '{}' AND due_at > clock_timestamp() + interval '10 seconds'))
  ) THEN
    INSERT INTO work AS kept (kind, key, wanted_at, due_at)
    VALUES ('tags', OLD.workspace_id::text, now() + interval '1 minute', now() + interval '1 minute')
    ON CONFLICT (kind, key) DO UPDATE SET revision = kept.revision + 1, payload = '{}';
  END IF;
  RETURN NULL;
END $$;
-- Deferred: the item is locked for the moment of the commit only.
CREATE CONSTRAINT TRIGGER links_retagged AFTER UPDATE OF tags ON links DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags) EXECUTE FUNCTION enqueue_tag_cells();
CREATE CONSTRAINT TRIGGER tagged_links_deleted AFTER DELETE ON links DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.tags <> '{}') EXECUTE FUNCTION enqueue_tag_cells();

-- Emails about an account, and to owners. The key: first the kind of notice, last who gets it (workers/api/src/people/email/notices.ts).
CREATE FUNCTION enqueue_notice(notice text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO work AS kept (kind, key) VALUES ('notice-email', notice)
  ON CONFLICT (kind, key) DO UPDATE SET revision = kept.revision + 1, attempts = 0
$$;

CREATE FUNCTION end_keys_of_member() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE api_keys SET revoked_at = now()
  WHERE workspace_id = OLD.workspace_id AND maker_id = OLD.person_id AND revoked_at IS NULL
    AND EXISTS (SELECT FROM workspaces WHERE id = OLD.workspace_id AND deleted_at IS NULL);
  IF FOUND THEN
    PERFORM enqueue_notice(concat_ws(':', 'keys', OLD.workspace_id, OLD.person_id, person_id))
    FROM members WHERE workspace_id = OLD.workspace_id AND role = 'owner';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER members_keys AFTER DELETE ON members FOR EACH ROW EXECUTE FUNCTION end_keys_of_member();

-- A key may what its maker may (workers/api/src/http/roles.ts). The workspace's owners learn which may less from now on.
CREATE FUNCTION tell_capped_keys() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM audit_event(workspace_id, 'key.capped', id, name) FROM api_keys
  WHERE workspace_id = NEW.workspace_id AND maker_id = NEW.person_id
    AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    AND scopes && (CASE NEW.role WHEN 'editor' THEN '{admin}' ELSE '{admin,links:write}' END)::text[];
  IF FOUND THEN
    PERFORM enqueue_notice(concat_ws(':', 'capped', NEW.workspace_id, NEW.person_id, person_id))
    FROM members WHERE workspace_id = NEW.workspace_id AND role = 'owner';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER members_capped AFTER UPDATE OF role ON members FOR EACH ROW
  WHEN ((NEW.role = 'viewer' AND OLD.role <> 'viewer') OR (NEW.role = 'editor' AND OLD.role IN ('admin', 'owner')))
  EXECUTE FUNCTION tell_capped_keys();

-- A new account is no news to its owner: it was made in this transaction.
CREATE FUNCTION notify_account() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  fields jsonb := to_jsonb(NEW);
  notice text := CASE WHEN TG_TABLE_NAME = 'people' THEN 'address' WHEN TG_TABLE_NAME = 'passkeys' THEN 'passkey'
    WHEN fields ->> 'provider_id' = 'credential' THEN 'password' ELSE 'provider' END;
BEGIN
  PERFORM enqueue_notice(notice || ':' || id) FROM people
  WHERE id = coalesce(fields ->> 'person_id', fields ->> 'id')::uuid AND created_at < now();
  RETURN NULL;
END $$;
CREATE TRIGGER passkeys_notice AFTER INSERT ON passkeys FOR EACH ROW EXECUTE FUNCTION notify_account();
CREATE TRIGGER accounts_notice AFTER INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION notify_account();
CREATE TRIGGER passwords_notice AFTER UPDATE OF password ON accounts FOR EACH ROW
  WHEN (OLD.password IS DISTINCT FROM NEW.password) EXECUTE FUNCTION notify_account();
CREATE TRIGGER people_notice AFTER UPDATE OF email ON people FOR EACH ROW WHEN (OLD.email <> NEW.email) EXECUTE FUNCTION notify_account();

CREATE FUNCTION notify_owners() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' OR (OLD.role <> NEW.role AND OLD.role <> 'owner') THEN
    PERFORM enqueue_notice(concat_ws(':', 'member', NEW.id, person_id))
    FROM members WHERE workspace_id = NEW.workspace_id AND role = 'owner' AND person_id <> NEW.person_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER members_notice AFTER INSERT OR UPDATE OF role ON members FOR EACH ROW
  WHEN (NEW.role IN ('admin', 'owner')) EXECUTE FUNCTION notify_owners();

REVOKE EXECUTE ON FUNCTION enqueue_tag_cells(), enqueue_notice(text), end_keys_of_member(), tell_capped_keys(), notify_account(),
  notify_owners() FROM PUBLIC;
