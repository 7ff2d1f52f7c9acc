-- Who may do what: workspaces, people, their sessions and keys, and how much each uses. Ids are UUIDv7: ordered by time.

CREATE TABLE workspaces (
  id uuid PRIMARY KEY, name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  qr_presets jsonb NOT NULL DEFAULT '[]', -- Designs of QR codes that its people choose from.
  defaults jsonb, version integer NOT NULL DEFAULT 1, created_at timestamptz NOT NULL DEFAULT now(), -- Of new links; NULL: none.
  suspended_at timestamptz, suspended_for text, -- By the operator, with the reason that its people read: none of its links leads anywhere.
  deleted_at timestamptz -- Until its rows are removed.
);

-- Accounts, sessions and one-time tokens are as better-auth keeps them (workers/api/src/people/auth.ts).
CREATE TABLE people (
  id uuid PRIMARY KEY, name text NOT NULL CHECK (length(name) <= 200),
  email text NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  email_verified boolean NOT NULL DEFAULT false, image text,
  is_operator boolean NOT NULL DEFAULT false, -- Sees the whole deployment: the first account, and those of `pnpm operators`.
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now()
);

-- The cookie holds the token with a signature; the token alone opens nothing. Neither an address nor a user agent is kept.
CREATE TABLE sessions (
  id uuid PRIMARY KEY, person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE, token text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL, ip_address text CHECK (ip_address = ''), user_agent text CHECK (user_agent = ''),
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- How a person signs in: one row for the password (provider 'credential'), and one for each identity provider.
CREATE TABLE accounts (
  id uuid PRIMARY KEY, person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  provider_id text NOT NULL, account_id text NOT NULL,
  password text, -- workers/api/src/people/password-hash.ts
  access_token text, refresh_token text, id_token text,
  access_token_expires_at timestamptz, refresh_token_expires_at timestamptz, scope text,
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), UNIQUE (provider_id, account_id)
);
CREATE INDEX accounts_by_person ON accounts (person_id);

-- One-time tokens by their SHA-256: links to sign in, and the set-up link of a new deployment.
CREATE TABLE verifications (
  id uuid PRIMARY KEY, identifier text NOT NULL, value text NOT NULL, expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX verifications_by_identifier ON verifications (identifier);
CREATE INDEX verifications_by_end ON verifications (expires_at);

CREATE TABLE members (
  id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('viewer', 'editor', 'admin', 'owner')),
  -- As of api_keys, with "own": true for links that the person or a key of theirs made.
  bounds jsonb CONSTRAINT members_bounded_role CHECK (bounds IS NULL OR role IN ('viewer', 'editor')),
  created_at timestamptz NOT NULL DEFAULT now(), version integer NOT NULL DEFAULT 1, UNIQUE (workspace_id, person_id) -- version: for If-Match
);
CREATE INDEX members_by_person ON members (person_id);

CREATE TABLE invitations (
  id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  email text NOT NULL CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  role text NOT NULL CHECK (role IN ('viewer', 'editor', 'admin', 'owner')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'accepted', 'canceled')),
  inviter_id uuid REFERENCES people (id) ON DELETE SET NULL, expires_at timestamptz NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1, request_id uuid, -- Of the request that made it, or invited again: repeated, it sends no second email.
  bounds jsonb CONSTRAINT invitations_bounded_role CHECK (bounds IS NULL OR role IN ('viewer', 'editor')) -- The member's.
);
-- A person is invited to a workspace once at a time: inviting again sends a new email.
CREATE UNIQUE INDEX invitations_waiting ON invitations (workspace_id, email) WHERE status = 'pending';
CREATE INDEX invitations_by_email ON invitations (email) WHERE status = 'pending';

-- Tries to sign in and requests for an email, by network and by account: by an HMAC, so neither address is kept.
CREATE UNLOGGED TABLE credential_attempts (subject bytea PRIMARY KEY, window_started_at timestamptz NOT NULL, attempts integer NOT NULL);
CREATE INDEX credential_attempts_by_age ON credential_attempts (window_started_at);

-- Networks a person signed in from, which strangers' wrong passwords do not shut out: an HMAC of address and network, for 90 days.
CREATE TABLE known_networks (
  subject bytea PRIMARY KEY, person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE, seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX known_networks_by_person ON known_networks (person_id);
CREATE INDEX known_networks_by_age ON known_networks (seen_at);

-- Passkeys (WebAuthn): what is public about them. The authenticator keeps the rest.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY, person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  credential_id text NOT NULL UNIQUE, public_key text NOT NULL, -- base64url; the key in COSE
  counter bigint NOT NULL, -- How often it was used, where the authenticator counts: a number that does not grow is a copy's.
  transports text[] NOT NULL, is_synced boolean NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), last_used_at timestamptz
);
CREATE INDEX passkeys_by_person ON passkeys (person_id);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces (id), name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  prefix text NOT NULL, -- The first characters of the key, shown in lists so that a person can tell keys apart.
  key_hash bytea NOT NULL UNIQUE CHECK (length(key_hash) = 32), -- SHA-256 of the key, which is shown once and kept nowhere.
  scopes text[] NOT NULL, expires_at timestamptz, revoked_at timestamptz,
  last_used_at timestamptz, -- To the hour.
  -- A key does no more than its maker may, and ends when they leave; NULL: the operator. No foreign key: an email names it afterwards.
  maker_id uuid, version integer NOT NULL DEFAULT 1, created_at timestamptz NOT NULL DEFAULT now(),
  -- The links that exist for it: {"domains", "folders", "tags", "own"}, each a list of ids; "own": of the key and of those that it
  -- replaced. Each part that is there has to let a link through (packages/db/src/links/bounds.ts). NULL: all of the workspace.
  bounds jsonb CHECK (bounds IS NULL OR NOT 'admin' = ANY(scopes))
);
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id);

-- Requests of a key or session in its window, rewritten by the statement that authenticates it. A crash may take one window's count.
CREATE UNLOGGED TABLE request_counts (
  subject text PRIMARY KEY, -- key:<uuid> or jwt:<subject>
  window_started_at timestamptz NOT NULL, requests integer NOT NULL,
  earlier integer NOT NULL DEFAULT 0 -- Of the window before, which are added to the month with the first request of this one.
) WITH (fillfactor = 50); -- rewritten in place: leave room on its page

-- One row a POST that carried an Idempotency-Key. Removed by work after a day.
CREATE TABLE idempotency_keys (
  owner_id uuid NOT NULL, -- Whose the request is: a workspace or, for what is a person's own, that person.
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  request_hash bytea NOT NULL CHECK (length(request_hash) = 32), -- Of method, path, query and body: the key is of one request.
  attempt_id uuid NOT NULL, -- Which attempt holds the key; one that was overtaken must not write its answer.
  status smallint, -- NULL while the request is at work.
  headers jsonb, body text, -- NULL also where the answer held a secret, which is kept nowhere.
  created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (owner_id, key)
);
CREATE INDEX idempotency_keys_by_creation ON idempotency_keys (created_at);

-- How many bytes of answers were stored on a day (UTC): they live a day, so two days bound what is there.
CREATE TABLE stored_answers (owner_id uuid NOT NULL, day date NOT NULL, bytes bigint NOT NULL, PRIMARY KEY (owner_id, day));
CREATE INDEX stored_answers_by_day ON stored_answers (day);

-- Requests to the API by month (UTC). Added as the window of request_counts ends: exact but for a minute that a crash takes.
CREATE TABLE workspace_requests (workspace_id uuid NOT NULL, month date NOT NULL, requests bigint NOT NULL, PRIMARY KEY (workspace_id, month));

-- The operator sets them: links that are not deleted, clicks and requests of a month (UTC). No row, or NULL: no limit.
CREATE TABLE workspace_limits (
  workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  links bigint CHECK (links >= 0), clicks bigint CHECK (clicks >= 0), requests bigint CHECK (requests >= 0)
);

-- The same for all workspaces that a person owns together: another workspace is no other budget.
CREATE TABLE person_limits (
  person_id uuid PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
  links bigint CHECK (links >= 0), clicks bigint CHECK (clicks >= 0), requests bigint CHECK (requests >= 0)
);

-- One row an open stream, so that a workspace has a bounded number of them. An interrupted stream counts until its end.
CREATE UNLOGGED TABLE live_streams (id uuid PRIMARY KEY, workspace_id uuid NOT NULL, ends_at timestamptz NOT NULL);
CREATE INDEX live_streams_by_workspace ON live_streams (workspace_id);
