-- Who made a key: it may never do more than they may now, and ends when they leave the workspace. NULL: made by the operator, by a
-- key without a maker, or before this. No foreign key: the email about the keys that ended is written when their maker is gone.
ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS maker_id uuid;

-- Emails about an account, and to the owners of a workspace. The key says what about: the first part is the kind of notice, the
-- last one the person who gets it (workers/api/src/people/email/notices.ts).
CREATE OR REPLACE FUNCTION enqueue_notice(notice text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO work AS kept (kind, key) VALUES ('notice-email', notice)
  ON CONFLICT (kind, key) DO UPDATE SET revision = kept.revision + 1, attempts = 0
$$;

CREATE OR REPLACE FUNCTION end_keys_of_member() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM workspaces WHERE id = OLD.workspace_id AND deleted_at IS NULL) THEN
    UPDATE api_keys SET revoked_at = now()
    WHERE workspace_id = OLD.workspace_id AND maker_id = OLD.person_id AND revoked_at IS NULL;
    IF FOUND THEN
      PERFORM enqueue_notice(concat_ws(':', 'keys', OLD.workspace_id, OLD.person_id, person_id))
      FROM members WHERE workspace_id = OLD.workspace_id AND role = 'owner';
    END IF;
  END IF;
  RETURN NULL;
END
$$;
DROP TRIGGER IF EXISTS members_keys ON members;
CREATE TRIGGER members_keys AFTER DELETE ON members FOR EACH ROW EXECUTE FUNCTION end_keys_of_member();

-- A new account is no news to its owner: it was made in this transaction.
CREATE OR REPLACE FUNCTION notify_account() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  fields jsonb := to_jsonb(NEW);
  notice text := CASE
    WHEN TG_TABLE_NAME = 'people' THEN 'address'
    WHEN TG_TABLE_NAME = 'passkeys' THEN 'passkey'
    WHEN fields ->> 'provider_id' = 'credential' THEN 'password'
    ELSE 'provider' END;
BEGIN
  PERFORM enqueue_notice(notice || ':' || id) FROM people
  WHERE id = coalesce(fields ->> 'person_id', fields ->> 'id')::uuid AND created_at < now();
  RETURN NULL;
END
$$;
DROP TRIGGER IF EXISTS passkeys_notice ON passkeys;
CREATE TRIGGER passkeys_notice AFTER INSERT ON passkeys FOR EACH ROW EXECUTE FUNCTION notify_account();
DROP TRIGGER IF EXISTS accounts_notice ON accounts;
CREATE TRIGGER accounts_notice AFTER INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION notify_account();
DROP TRIGGER IF EXISTS passwords_notice ON accounts;
CREATE TRIGGER passwords_notice AFTER UPDATE OF password ON accounts FOR EACH ROW
  WHEN (OLD.password IS DISTINCT FROM NEW.password) EXECUTE FUNCTION notify_account();
DROP TRIGGER IF EXISTS people_notice ON people;
CREATE TRIGGER people_notice AFTER UPDATE OF email ON people FOR EACH ROW
  WHEN (OLD.email <> NEW.email) EXECUTE FUNCTION notify_account();

CREATE OR REPLACE FUNCTION notify_owners() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' OR (OLD.role <> NEW.role AND OLD.role <> 'owner') THEN
    PERFORM enqueue_notice(concat_ws(':', 'member', NEW.id, person_id))
    FROM members WHERE workspace_id = NEW.workspace_id AND role = 'owner' AND person_id <> NEW.person_id;
  END IF;
  RETURN NULL;
END
$$;
DROP TRIGGER IF EXISTS members_notice ON members;
CREATE TRIGGER members_notice AFTER INSERT OR UPDATE OF role ON members FOR EACH ROW
  WHEN (NEW.role IN ('admin', 'owner')) EXECUTE FUNCTION notify_owners();

REVOKE EXECUTE ON FUNCTION enqueue_notice(text), end_keys_of_member(), notify_account(), notify_owners() FROM PUBLIC;
