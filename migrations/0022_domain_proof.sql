-- Whoever adds a host has to prove that it is theirs. Until then it resolves nothing and is in nobody's way.

-- `pending`: claimed and not proved. `dns`: the TXT record at _hopline.<host> holds the token; asked again every day.
-- `vouched`: the operator says so, and it is not asked again.
ALTER TABLE domains ADD COLUMN IF NOT EXISTS proof text
  CONSTRAINT domains_proof_check CHECK (proof IN ('pending', 'dns', 'vouched'));
-- Hosts from before this are vouched for: they are in use. `proved_at` stays empty, and `pnpm run doctor` lists them.
UPDATE domains SET proof = 'vouched' WHERE proof IS NULL;
ALTER TABLE domains ALTER COLUMN proof SET DEFAULT 'pending';
ALTER TABLE domains ALTER COLUMN proof SET NOT NULL;

-- Of this claim alone: a record that was left behind proves nothing for the next one who adds the host.
ALTER TABLE domains ADD COLUMN IF NOT EXISTS proof_token text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '');
ALTER TABLE domains ADD COLUMN IF NOT EXISTS proved_at timestamptz;
-- The last look-up, and what it saw.
ALTER TABLE domains ADD COLUMN IF NOT EXISTS checked_at timestamptz;
ALTER TABLE domains ADD COLUMN IF NOT EXISTS seen text
  CONSTRAINT domains_seen_check CHECK (seen IN ('found', 'missing', 'wrong', 'unavailable'));
-- Since when the record of a `dns` domain is gone. After seven days the domain is pending again.
ALTER TABLE domains ADD COLUMN IF NOT EXISTS missing_since timestamptz;
-- What Cloudflare says about the host's custom hostname and its certificate.
ALTER TABLE domains ADD COLUMN IF NOT EXISTS custom_hostname jsonb;

-- Two workspaces may both wait for their proof; the first one that has it gets the host. A deleted domain that was proved
-- keeps the host until it is released.
DROP INDEX IF EXISTS domains_by_host;
CREATE UNIQUE INDEX domains_by_host ON domains (host) WHERE released_at IS NULL AND proof <> 'pending';
CREATE UNIQUE INDEX IF NOT EXISTS domains_by_host_and_workspace ON domains (host, workspace_id) WHERE deleted_at IS NULL;

-- Whether visitors may be sent anywhere by this domain: its addresses are kept accordingly (0021).
CREATE OR REPLACE FUNCTION leads_visitors(domain domains) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT domain.deleted_at IS NULL AND domain.proof <> 'pending'
$$;
