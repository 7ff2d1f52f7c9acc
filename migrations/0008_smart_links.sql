-- Links that think: what a client wrote of rules, limits and queries, beside the compiled record; caps; and what a short
-- domain answers where no link does.

ALTER TABLE links
  -- As the client wrote it (rules, split, next, expiredUrl, forwardQuery, utm, openGraph): shown again, never evaluated.
  ADD COLUMN IF NOT EXISTS smart jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN IF NOT EXISTS starts_at timestamptz,
  ADD COLUMN IF NOT EXISTS expires_at timestamptz,
  -- {iterations, salt, hash}: PBKDF2 with SHA-256, salt and hash in base64url. Never shown.
  ADD COLUMN IF NOT EXISTS password jsonb;

-- One row a link with a click cap. A narrow row of its own: a strict cap rewrites it with every redirect.
CREATE TABLE IF NOT EXISTS link_caps (
  link_id uuid PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
  -- strict: taken before the redirect. fast: counted with the clicks, in the same statement.
  mode text NOT NULL CHECK (mode IN ('strict', 'fast')),
  max_clicks bigint NOT NULL CHECK (max_clicks >= 1),
  used bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
  -- Set once the link's record says that it is used up; cleared when the cap is raised.
  published_used_up boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50); -- leave room on the page: a use is an update in place
CREATE INDEX IF NOT EXISTS link_caps_to_publish ON link_caps (link_id) WHERE NOT published_used_up AND used >= max_clicks;

ALTER TABLE domains
  ADD COLUMN IF NOT EXISTS settings jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN IF NOT EXISTS version bigint NOT NULL DEFAULT 1 CHECK (version >= 1),
  -- The domain as published (domain record, format 1). NULL: it has no settings of its own.
  ADD COLUMN IF NOT EXISTS record text;
