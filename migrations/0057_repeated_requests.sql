-- What a repeated POST finds: people's own requests too, bounded, and removed by work instead of by requests.

-- workspace_id: whose the request is, a workspace or, for what is a person's own, that person.
ALTER TABLE idempotency_keys DROP CONSTRAINT IF EXISTS idempotency_keys_workspace_id_fkey;

-- Expired rows of all workspaces are found by their age.
CREATE INDEX IF NOT EXISTS idempotency_keys_by_creation ON idempotency_keys (created_at);
DROP INDEX IF EXISTS idempotency_keys_by_age;

-- How many bytes of answers were stored on a day (UTC): they live a day, so two days bound what is there.
CREATE TABLE IF NOT EXISTS stored_answers (
  owner_id uuid NOT NULL,
  day date NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (owner_id, day)
);
CREATE INDEX IF NOT EXISTS stored_answers_by_day ON stored_answers (day);

-- Of the request that made it, or invited again: repeated, it sends no second email.
ALTER TABLE invitations ADD COLUMN IF NOT EXISTS request_id uuid;
DROP TRIGGER IF EXISTS invitations_audit ON invitations;
CREATE TRIGGER invitations_audit AFTER INSERT OR UPDATE OF email, role, status, inviter_id, expires_at OR DELETE ON invitations
  FOR EACH ROW EXECUTE FUNCTION audit_row('invitation', '{created_at,request_id}', '{}');
