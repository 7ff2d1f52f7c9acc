-- Workspaces and what they own: API keys, short domains, links.
-- Ids are UUIDv7 made by the API: time-ordered, so the indexes grow at one end.

CREATE TABLE IF NOT EXISTS workspaces (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS api_keys (
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
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS api_keys_by_workspace ON api_keys (workspace_id);

CREATE TABLE IF NOT EXISTS domains (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  -- As it stands in a URL: lower case, with its port where it is not the scheme's own.
  host text NOT NULL UNIQUE CHECK (host = lower(host) AND length(host) BETWEEN 1 AND 260),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS domains_by_workspace ON domains (workspace_id);

CREATE TABLE IF NOT EXISTS links (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  domain_id uuid NOT NULL REFERENCES domains (id),
  slug text NOT NULL,
  url text NOT NULL CHECK (length(url) <= 8192),
  state text NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'disabled', 'deleted')),
  redirect_status smallint NOT NULL DEFAULT 302 CHECK (redirect_status IN (301, 302, 307, 308)),
  title text,
  -- Counts every published change from 1; the edge never lets a lower one replace a higher one.
  version bigint NOT NULL DEFAULT 1 CHECK (version >= 1),
  -- The link as published (link record, format 1): compiled at write time, so that every tier answers the same.
  record text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (domain_id, slug)
);
CREATE INDEX IF NOT EXISTS links_by_workspace ON links (workspace_id, created_at DESC, id DESC);
