-- A webhook's version counts what people change of it, and that it was switched off: an edit can say which one it was made from.

ALTER TABLE webhook_endpoints ADD COLUMN IF NOT EXISTS version integer NOT NULL DEFAULT 1;

-- As in 0045; nobody edits the version.
DROP TRIGGER IF EXISTS webhook_endpoints_audit ON webhook_endpoints;
CREATE TRIGGER webhook_endpoints_audit AFTER INSERT OR DELETE OR UPDATE OF url, description, events, mode, link_ids, domain_ids,
  tags, classes, secret_id, off_reason, deleted_at ON webhook_endpoints
  FOR EACH ROW EXECUTE FUNCTION audit_row('webhook',
    '{secret,old_secret,old_secret_until,off_since,from_xid,filter_xid,created_at,updated_at,version}', '{url,secret_id}');
