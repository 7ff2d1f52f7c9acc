-- People: accounts, sessions and one-time tokens as better-auth keeps them (workers/api/src/people/auth.ts), and the people of
-- a workspace. packages/db/src/people-schema.ts repeats them; a test compares that with what better-auth expects.

CREATE TABLE IF NOT EXISTS people (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (length(name) <= 200),
  email text NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  email_verified boolean NOT NULL DEFAULT false,
  image text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- The cookie holds the token with a signature; the token alone opens nothing. Neither an address nor a user agent is kept.
CREATE TABLE IF NOT EXISTS sessions (
  id uuid PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  token text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  ip_address text CHECK (ip_address = ''),
  user_agent text CHECK (user_agent = ''),
  -- The workspace that the person has switched to.
  active_workspace_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS sessions_by_person ON sessions (person_id);
CREATE INDEX IF NOT EXISTS sessions_by_end ON sessions (expires_at);

-- How a person signs in: one row for the password (provider 'credential'), and one for each identity provider.
CREATE TABLE IF NOT EXISTS accounts (
  id uuid PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  provider_id text NOT NULL,
  account_id text NOT NULL,
  -- workers/api/src/people/password-hash.ts
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (provider_id, account_id)
);
CREATE INDEX IF NOT EXISTS accounts_by_person ON accounts (person_id);

-- One-time tokens by their SHA-256: links to sign in, and the set-up link of a new deployment.
CREATE TABLE IF NOT EXISTS verifications (
  id uuid PRIMARY KEY,
  identifier text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS verifications_by_identifier ON verifications (identifier);

CREATE TABLE IF NOT EXISTS members (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('viewer', 'editor', 'admin', 'owner')),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (workspace_id, person_id)
);
CREATE INDEX IF NOT EXISTS members_by_person ON members (person_id);

CREATE TABLE IF NOT EXISTS invitations (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  email text NOT NULL CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  role text NOT NULL CHECK (role IN ('viewer', 'editor', 'admin', 'owner')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'accepted', 'canceled')),
  inviter_id uuid REFERENCES people (id) ON DELETE SET NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- A person is invited to a workspace once at a time: inviting again sends a new letter.
CREATE UNIQUE INDEX IF NOT EXISTS invitations_waiting ON invitations (workspace_id, email) WHERE status = 'pending';
CREATE INDEX IF NOT EXISTS invitations_by_email ON invitations (email) WHERE status = 'pending';

-- How often somebody tried to sign in or asked for a letter, by network and by account. The subject is an HMAC: no address of
-- either kind is kept. Losing it in a crash costs a minute's count.
CREATE UNLOGGED TABLE IF NOT EXISTS credential_attempts (
  subject bytea PRIMARY KEY,
  window_started_at timestamptz NOT NULL,
  attempts integer NOT NULL
);
CREATE INDEX IF NOT EXISTS credential_attempts_by_age ON credential_attempts (window_started_at);
