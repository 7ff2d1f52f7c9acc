-- A domain's logo, for the QR codes of its links. The API decodes what was sent, scales it down and encodes it again
-- (workers/api/src/qr/logo.ts).
CREATE TABLE IF NOT EXISTS domain_logos (
  domain_id uuid PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  png bytea NOT NULL CHECK (octet_length(png) <= 70000),
  width smallint NOT NULL CHECK (width BETWEEN 1 AND 256),
  height smallint NOT NULL CHECK (height BETWEEN 1 AND 256),
  hash text GENERATED ALWAYS AS (left(encode(sha256(png), 'hex'), 32)) STORED,
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS domain_logos_by_workspace ON domain_logos (workspace_id);

-- A deleted domain keeps its row and its name, but no settings and no logo.
CREATE OR REPLACE FUNCTION remove_logo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM domain_logos WHERE domain_id = NEW.id;
  RETURN NULL;
END
$$;
DROP TRIGGER IF EXISTS domains_logo ON domains;
CREATE TRIGGER domains_logo AFTER UPDATE OF deleted_at ON domains
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION remove_logo();

-- What the log says of a logo: its size and its hash, never the picture. One that goes with its domain is told by the domain's row.
CREATE OR REPLACE FUNCTION audit_logo() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  former jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) - '{domain_id,workspace_id,png,updated_at}'::text[] END;
  latter jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) - '{domain_id,workspace_id,png,updated_at}'::text[] END;
  context jsonb := audit_context();
BEGIN
  INSERT INTO audit_log (workspace_id, actor, request_id, action, resource_id, label, before, after)
  SELECT workspace_id, coalesce(context ->> 'actor', 'operator'), context ->> 'requestId',
    CASE TG_OP WHEN 'DELETE' THEN 'domain.logo_removed' ELSE 'domain.logo_set' END, id, host, former, latter
  FROM domains
  WHERE id = coalesce(NEW.domain_id, OLD.domain_id) AND deleted_at IS NULL
    AND (former ->> 'hash') IS DISTINCT FROM (latter ->> 'hash');
  RETURN NULL;
END
$$;
DROP TRIGGER IF EXISTS domain_logos_audit ON domain_logos;
CREATE TRIGGER domain_logos_audit AFTER INSERT OR UPDATE OR DELETE ON domain_logos
  FOR EACH ROW EXECUTE FUNCTION audit_logo();
