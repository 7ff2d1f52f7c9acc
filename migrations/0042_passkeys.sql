-- Passkeys (WebAuthn): what is public about them. The authenticator keeps the rest.
CREATE TABLE IF NOT EXISTS passkeys (
  id uuid PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  -- The authenticator's name for it, base64url.
  credential_id text NOT NULL UNIQUE,
  -- COSE, base64url.
  public_key text NOT NULL,
  -- How often it was used, where the authenticator counts: a number that does not grow is a copy's.
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  is_synced boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX IF NOT EXISTS passkeys_by_person ON passkeys (person_id);

-- What has expired is removed by age; sessions have such an index since migrations/0035.
CREATE INDEX IF NOT EXISTS verifications_by_end ON verifications (expires_at);
