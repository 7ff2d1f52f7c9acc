-- What it takes to manage many links: tags, ids of the client's own, archiving, search, and addresses that are free
-- again once their link is deleted.

ALTER TABLE links ADD COLUMN IF NOT EXISTS tags text[] NOT NULL DEFAULT '{}';
-- The client's own name for a link, unique in a workspace; upserts go by it.
ALTER TABLE links ADD COLUMN IF NOT EXISTS external_id text;

-- Archived: out of the way in lists, ended at the edge like a disabled link, kept with its statistics.
ALTER TABLE links DROP CONSTRAINT IF EXISTS links_state_check;
ALTER TABLE links ADD CONSTRAINT links_state_check CHECK (state IN ('live', 'disabled', 'archived', 'deleted'));

-- A deleted link keeps its row, which is the tombstone that the edge reads, but no longer its address. A new link there
-- starts above the tombstone's version, so the highest version at an address is the one that counts.
ALTER TABLE links DROP CONSTRAINT IF EXISTS links_domain_id_slug_key;
CREATE UNIQUE INDEX IF NOT EXISTS links_by_address ON links (domain_id, slug) WHERE state <> 'deleted';
CREATE INDEX IF NOT EXISTS links_by_address_and_version ON links (domain_id, slug, version DESC);
CREATE UNIQUE INDEX IF NOT EXISTS links_by_external_id ON links (workspace_id, external_id)
  WHERE external_id IS NOT NULL AND state <> 'deleted';

-- The orders in which lists are read, page by page.
CREATE INDEX IF NOT EXISTS links_by_update ON links (workspace_id, updated_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS links_by_slug ON links (workspace_id, slug COLLATE "C", id);
CREATE INDEX IF NOT EXISTS links_by_tag ON links USING gin (tags);

-- Full text over slug, URL, title and tags, with nothing but what every Postgres has. Words are cut at spaces and
-- punctuation and found by their beginnings. Each carries the end of its workspace's id, so that the index is as good
-- as one a workspace: a word that others use often costs nothing here.
CREATE OR REPLACE FUNCTION link_search_words(workspace_id uuid, document text) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(DISTINCT right(workspace_id::text, 12) || left(word, 64)), '{}')
    FROM regexp_split_to_table(lower(document), '[[:space:][:punct:]]+') AS word
    WHERE word <> ''
  $$;

CREATE OR REPLACE FUNCTION link_search_document(slug text, url text, title text, tags text[]) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT concat_ws(' ', slug, regexp_replace(url, '^[a-z]+://', ''), title, array_to_string(tags, ' '))
  $$;

-- Every word of the question must begin a word of the link. NULL for a question without words.
CREATE OR REPLACE FUNCTION link_search_query(workspace_id uuid, question text) RETURNS tsquery
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_agg(quote_literal(word) || ':*', ' & ')::tsquery
    FROM unnest(public.link_search_words(workspace_id, question)) AS word
  $$;

ALTER TABLE links ADD COLUMN IF NOT EXISTS search tsvector
  GENERATED ALWAYS AS (array_to_tsvector(
    public.link_search_words(workspace_id, public.link_search_document(slug, url, title, tags)))) STORED;
CREATE INDEX IF NOT EXISTS links_by_word ON links USING gin (search);

-- The addresses that a link has left are shown with it.
CREATE INDEX IF NOT EXISTS retired_addresses_by_link ON retired_addresses (link_id);
