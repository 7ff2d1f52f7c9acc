-- Tags as a resource. A tag is there while links have it, or while it has a row here: one that was created by itself, or that has
-- a colour.
CREATE TABLE IF NOT EXISTS tags (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  -- Lists are in the order of code points, and so is the index.
  name text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
  color text CHECK (color ~ '^#[0-9a-f]{6}$'),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX IF NOT EXISTS tags_by_name ON tags (workspace_id, name);

-- A link with other tags is another version of it, whoever changes them. A renamed tag is published nowhere, because the edge knows no
-- tags: then the version of a link is ahead of its addresses', until something else of it changes.
CREATE OR REPLACE FUNCTION version_retagged_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := greatest(NEW.version, OLD.version + 1);
  RETURN NEW;
END
$$;
-- After links_place_changed (triggers run in the order of their names), whose version is then new already.
DROP TRIGGER IF EXISTS links_retagged_version ON links;
CREATE TRIGGER links_retagged_version BEFORE UPDATE OF tags ON links
  FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags) EXECUTE FUNCTION version_retagged_link();
