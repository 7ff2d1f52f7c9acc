-- Finding links: by any part of their text, by destination, by folder, in the order of their clicks.
--
-- pg_trgm and btree_gin come with PostgreSQL (package postgresql-contrib), with Neon and with TimescaleDB. They are
-- trusted extensions: whoever may create objects in the database may create them.
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

-- A link is in one folder or in none. A deleted folder keeps its row, and its links are in none: nothing of them is rewritten.
CREATE TABLE IF NOT EXISTS folders (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE UNIQUE INDEX IF NOT EXISTS folders_by_name ON folders (workspace_id, name) WHERE deleted_at IS NULL;

-- Words and their beginnings (0006) give way to trigrams, which find any part of a text. `search` stays as it is for the
-- release before this one, and is filled no more. What is not a letter or a digit counts as a space, in links and in questions.
CREATE OR REPLACE FUNCTION link_search_text(document text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ' ' || regexp_replace(lower(document), '[^[:alnum:]]+', ' ', 'g')
  $$;

-- For LIKE. One or two letters have no trigram of their own: they must begin a word.
CREATE OR REPLACE FUNCTION link_search_pattern(part text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN length(wanted) < 3 THEN '% ' ELSE '%' END || wanted || '%'
    FROM trim(public.link_search_text(regexp_replace(part, '^[A-Za-z]+://', ''))) AS wanted
  $$;

ALTER TABLE links ALTER COLUMN search DROP EXPRESSION IF EXISTS;
ALTER TABLE links
  ADD COLUMN IF NOT EXISTS folder_id uuid REFERENCES folders (id),
  ADD COLUMN IF NOT EXISTS search_text text
    GENERATED ALWAYS AS (public.link_search_text(public.link_search_document(slug, url, title, tags))) STORED;
DROP INDEX IF EXISTS links_by_word;

-- Each begins with the workspace: what others have in common with the question costs nothing. The pending list is short,
-- because every search reads all of it.
CREATE INDEX IF NOT EXISTS links_by_text ON links USING gin (workspace_id, search_text public.gin_trgm_ops)
  WITH (gin_pending_list_limit = 512) WHERE state <> 'deleted';
-- Deleted links too: their clicks count for their tags.
CREATE INDEX IF NOT EXISTS links_by_tags ON links USING gin (workspace_id, tags) WITH (gin_pending_list_limit = 256);
DROP INDEX IF EXISTS links_by_tag;
CREATE INDEX IF NOT EXISTS links_by_domain ON links (domain_id, created_at DESC, id DESC) WHERE state <> 'deleted';
CREATE INDEX IF NOT EXISTS links_by_folder ON links (folder_id, created_at DESC, id DESC)
  WHERE state <> 'deleted' AND folder_id IS NOT NULL;
-- A hash, because a URL may be longer than an index row.
CREATE INDEX IF NOT EXISTS links_by_destination ON links (workspace_id, hashtextextended(url, 0)) WHERE state <> 'deleted';

-- The order of clicks. Every link has a row from its beginning, so that links without clicks are in it too.
ALTER TABLE link_totals
  ADD COLUMN IF NOT EXISTS workspace_id uuid,
  ALTER COLUMN human SET DEFAULT 0,
  ALTER COLUMN total SET DEFAULT 0,
  ALTER COLUMN last_clicked_at SET DEFAULT '-infinity';

-- The API changes no count, so the owner of the tables adds the row.
CREATE OR REPLACE FUNCTION count_new_links() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO link_totals (link_id, workspace_id)
  SELECT id, workspace_id FROM new_links ORDER BY id
  ON CONFLICT (link_id) DO UPDATE SET workspace_id = excluded.workspace_id;
  RETURN NULL;
END
$$;
DROP TRIGGER IF EXISTS links_counted ON links;
CREATE TRIGGER links_counted AFTER INSERT ON links REFERENCING NEW TABLE AS new_links
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_links();

INSERT INTO link_totals AS kept (link_id, workspace_id)
SELECT id, workspace_id FROM links ORDER BY id
ON CONFLICT (link_id) DO UPDATE SET workspace_id = excluded.workspace_id WHERE kept.workspace_id IS NULL;

CREATE INDEX IF NOT EXISTS link_totals_by_clicks ON link_totals (workspace_id, human DESC, link_id DESC);
CREATE INDEX IF NOT EXISTS link_totals_by_last_click ON link_totals (workspace_id, last_clicked_at DESC, link_id DESC);

-- Used-up links of one workspace, not of all.
ALTER TABLE link_caps ADD COLUMN IF NOT EXISTS workspace_id uuid;
CREATE OR REPLACE FUNCTION place_cap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.workspace_id := (SELECT workspace_id FROM links WHERE id = NEW.link_id);
  RETURN NEW;
END
$$;
DROP TRIGGER IF EXISTS link_caps_place ON link_caps;
CREATE TRIGGER link_caps_place BEFORE INSERT ON link_caps FOR EACH ROW EXECUTE FUNCTION place_cap();
UPDATE link_caps SET workspace_id = links.workspace_id FROM links
WHERE links.id = link_id AND link_caps.workspace_id IS NULL;
CREATE INDEX IF NOT EXISTS link_caps_by_workspace ON link_caps (workspace_id, link_id) WHERE used >= max_clicks;
DROP INDEX IF EXISTS link_caps_used_up;
