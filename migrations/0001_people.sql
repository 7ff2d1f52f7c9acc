-- Who may do what: workspaces, people, their sessions and keys, and how much each uses.
-- Ids are UUIDv7 made by the API: time-ordered, so the indexes grow at one end.

CREATE TABLE workspaces (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  -- Designs of QR codes that its people choose from.
  qr_presets jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Until its rows are removed.
  deleted_at timestamptz
);

-- Accounts, sessions and one-time tokens are as better-auth keeps them (workers/api/src/people/auth.ts). The file
-- packages/db/src/schema.ts repeats them; a test compares that with what better-auth expects.

CREATE TABLE people (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (length(name) <= 200),
  email text NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  email_verified boolean NOT NULL DEFAULT false,
  image text,
  -- May see what is of the whole deployment. Whoever opens the set-up link is one; `pnpm operators` gives the role to others.
  is_operator boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- The cookie holds the token with a signature; the token alone opens nothing. Neither an address nor a user agent is kept.
CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  token text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  ip_address text CHECK (ip_address = ''),
  user_agent text CHECK (user_agent = ''),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- How a person signs in: one row for the password (provider 'credential'), and one for each identity provider.
CREATE TABLE accounts (
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
CREATE INDEX accounts_by_person ON accounts (person_id);

-- One-time tokens by their SHA-256: links to sign in, and the set-up link of a new deployment.
CREATE TABLE verifications (
  id uuid PRIMARY KEY,
  identifier text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX verifications_by_identifier ON verifications (identifier);
CREATE INDEX verifications_by_end ON verifications (expires_at);

CREATE TABLE members (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('viewer', 'editor', 'admin', 'owner')),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Of what people change, for If-Match.
  version integer NOT NULL DEFAULT 1,
  UNIQUE (workspace_id, person_id)
);
CREATE INDEX members_by_person ON members (person_id);

CREATE TABLE invitations (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  email text NOT NULL CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  role text NOT NULL CHECK (role IN ('viewer', 'editor', 'admin', 'owner')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'accepted', 'canceled')),
  inviter_id uuid REFERENCES people (id) ON DELETE SET NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  -- Of the request that made it, or invited again: repeated, it sends no second email.
  request_id uuid
);
-- A person is invited to a workspace once at a time: inviting again sends a new letter.
CREATE UNIQUE INDEX invitations_waiting ON invitations (workspace_id, email) WHERE status = 'pending';
CREATE INDEX invitations_by_email ON invitations (email) WHERE status = 'pending';

-- How often somebody tried to sign in or asked for a letter, by network and by account. The subject is an HMAC: no address of
-- either kind is kept. Losing it in a crash costs a minute's count.
CREATE UNLOGGED TABLE credential_attempts (
  subject bytea PRIMARY KEY,
  window_started_at timestamptz NOT NULL,
  attempts integer NOT NULL
);
CREATE INDEX credential_attempts_by_age ON credential_attempts (window_started_at);

-- Networks from which somebody has signed in to an account: strangers who try passwords for it until no more are taken do not
-- shut these out. By an HMAC of the account's address and the network: neither is kept, and the same network of two accounts
-- looks different. Forgotten after 90 days without a sign-in.
CREATE TABLE known_networks (
  subject bytea PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX known_networks_by_person ON known_networks (person_id);
CREATE INDEX known_networks_by_age ON known_networks (seen_at);

-- Passkeys (WebAuthn): what is public about them. The authenticator keeps the rest.
CREATE TABLE passkeys (
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
CREATE INDEX passkeys_by_person ON passkeys (person_id);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  -- The first characters of the key, shown in lists so that a person can tell keys apart.
  prefix text NOT NULL,
  -- SHA-256 of the whole key; the key itself is shown once and kept nowhere.
  key_hash bytea NOT NULL UNIQUE CHECK (length(key_hash) = 32),
  scopes text[] NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- To the hour.
  last_used_at timestamptz,
  -- Who made it: it may never do more than they may now, and ends when they leave the workspace. NULL: the operator, or a key
  -- without a maker. No foreign key: the email about the keys that ended is written when their maker is gone.
  maker_id uuid,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id);

-- One row a key or session: how often it asked in the current window. Rewritten with every request, in the statement
-- that authenticates it. Losing it in a crash costs one window's count, so it stays out of the write-ahead log.
CREATE UNLOGGED TABLE request_counts (
  -- key:<uuid> or jwt:<subject>
  subject text PRIMARY KEY,
  window_started_at timestamptz NOT NULL,
  requests integer NOT NULL,
  -- Of the window before, which are added to the month with the first request of this one.
  earlier integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50); -- rewritten in place: leave room on its page

-- One row a POST that carried an Idempotency-Key. Removed by work after a day.
CREATE TABLE idempotency_keys (
  -- Whose the request is: a workspace or, for what is a person's own, that person.
  owner_id uuid NOT NULL,
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  -- SHA-256 over method, path, query and body: the same key with another request is a mistake of the client.
  request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
  -- Which attempt holds the key; one that was overtaken must not write its answer.
  attempt_id uuid NOT NULL,
  -- NULL while the request is at work.
  status smallint,
  headers jsonb,
  -- NULL also where the answer held a secret, which is kept nowhere.
  body text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner_id, key)
);
CREATE INDEX idempotency_keys_by_creation ON idempotency_keys (created_at);

-- How many bytes of answers were stored on a day (UTC): they live a day, so two days bound what is there.
CREATE TABLE stored_answers (
  owner_id uuid NOT NULL,
  day date NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (owner_id, day)
);
CREATE INDEX stored_answers_by_day ON stored_answers (day);

-- Requests to the API by month (UTC). Counted by the minute, as the window of request_counts ends: exact but for a minute
-- that a crash takes. Clicks and links are counted where they are.
CREATE TABLE workspace_requests (
  workspace_id uuid NOT NULL,
  month date NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (workspace_id, month)
);

-- The operator sets them; a workspace without a row has none, nor has one with NULL.
CREATE TABLE workspace_limits (
  workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  -- That are not deleted.
  links bigint CHECK (links >= 0),
  -- In a calendar month (UTC).
  clicks bigint CHECK (clicks >= 0),
  requests bigint CHECK (requests >= 0)
);

-- What an owner may use over all workspaces that they own, beside what each of them may: another workspace is no other budget.
-- The operator sets it; a person without a row has none, nor has one with NULL.
CREATE TABLE person_limits (
  person_id uuid PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
  -- As in workspace_limits.
  links bigint CHECK (links >= 0),
  clicks bigint CHECK (clicks >= 0),
  requests bigint CHECK (requests >= 0)
);

-- One row a stream that is open, so that a workspace has a bounded number of them. Losing it in a crash ends nothing but
-- that bound, for a minute.
CREATE UNLOGGED TABLE live_streams (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  -- A stream that was cut off without a word frees its place here.
  ends_at timestamptz NOT NULL
);
CREATE INDEX live_streams_by_workspace ON live_streams (workspace_id);
