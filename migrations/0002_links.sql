-- Domains, folders, tags, links, and the addresses at which visitors find them.

-- Both come with PostgreSQL (postgresql-contrib), Neon and TimescaleDB, and are trusted: the database's owner may create them.
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

CREATE TABLE domains (
  id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces (id),
  host text NOT NULL CHECK (host = lower(host) AND length(host) BETWEEN 1 AND 260), -- As in a URL, with its port if that has one.
  settings jsonb NOT NULL DEFAULT '{}', version bigint NOT NULL DEFAULT 1 CHECK (version >= 1),
  record text, -- The domain as published (domain record, format 1) but for its version. NULL: it was never published.
  -- `pending`: it resolves nothing, and others may claim it. `dns`: the TXT record holds the token, daily. `vouched`: by the operator.
  proof text NOT NULL DEFAULT 'pending' CHECK (proof IN ('pending', 'dns', 'vouched')),
  -- Of this claim alone: a record that was left behind proves nothing for the next workspace that adds the host.
  proof_token text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', ''), proved_at timestamptz,
  checked_at timestamptz, -- The last look-up, and what it saw.
  seen text CHECK (seen IN ('found', 'missing', 'wrong', 'unavailable')),
  missing_since timestamptz, -- Since when the record of a `dns` domain is gone. After seven days the domain is pending again.
  custom_hostname jsonb, -- What Cloudflare says about the host's custom hostname and its certificate.
  created_at timestamptz NOT NULL DEFAULT now(),
  suspended_at timestamptz, suspended_for text, -- As workspaces have it; set with its workspace's, or alone.
  -- A deleted domain keeps its row, as clicks show its host, and the host until its tombstones are published: then it is released.
  deleted_at timestamptz, released_at timestamptz
);
CREATE INDEX domains_by_workspace ON domains (workspace_id);
-- Two workspaces may both wait for their proof; the first one that has it gets the host.
CREATE UNIQUE INDEX domains_by_host ON domains (host) WHERE released_at IS NULL AND proof <> 'pending';
CREATE UNIQUE INDEX domains_by_host_and_workspace ON domains (host, workspace_id) WHERE deleted_at IS NULL;
CREATE INDEX domains_suspended ON domains (split_part(host, ':', 1)) WHERE suspended_at IS NOT NULL;
CREATE INDEX domains_to_release ON domains (deleted_at) WHERE deleted_at IS NOT NULL AND released_at IS NULL;

-- A domain's logo, for the QR codes of its links, as workers/api/src/qr/logo.ts has made it of what was sent.
CREATE TABLE domain_logos (
  domain_id uuid PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  workspace_id uuid NOT NULL REFERENCES workspaces (id), png bytea NOT NULL CHECK (octet_length(png) <= 70000),
  width smallint NOT NULL CHECK (width BETWEEN 1 AND 256), height smallint NOT NULL CHECK (height BETWEEN 1 AND 256),
  hash text GENERATED ALWAYS AS (left(encode(sha256(png), 'hex'), 32)) STORED, updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX domain_logos_by_workspace ON domain_logos (workspace_id);

-- A link is in one folder or in none. A deleted folder keeps its row, and its links are in none: nothing of them is rewritten.
CREATE TABLE folders (
  id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces (id), name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  defaults jsonb, -- As of workspaces; of a domain they are a setting.
  version integer NOT NULL DEFAULT 1, created_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz
);
CREATE UNIQUE INDEX folders_by_name ON folders (workspace_id, name) WHERE deleted_at IS NULL;

-- A tag is there while links have it, or while its row is kept: it was created by itself, or has a colour.
CREATE TABLE tags (
  id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces (id),
  name text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 64), -- In the order of code points, as in lists.
  color text CHECK (color ~ '^#[0-9a-f]{6}$'), is_kept boolean NOT NULL DEFAULT true, -- If not, it has the id of a tag of links.
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX tags_by_name ON tags (workspace_id, name);

-- Search. Any part of a link's text is found, by trigrams. What is no letter or digit is a space, in links and in questions.
CREATE FUNCTION link_search_text(slug text, url text DEFAULT NULL, title text DEFAULT NULL, tags text[] DEFAULT NULL) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ' ' || regexp_replace(lower(concat_ws(' ', slug, regexp_replace(url, '^[a-z]+://', ''), title, array_to_string(tags, ' '))),
      '[^[:alnum:]]+', ' ', 'g')
  $$;
-- For LIKE. One or two letters have no trigram of their own: they must begin a word.
CREATE FUNCTION link_search_pattern(part text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN length(wanted) < 3 THEN '% ' ELSE '%' END || wanted || '%'
    FROM trim(public.link_search_text(regexp_replace(part, '^[A-Za-z]+://', ''))) AS wanted
  $$;

-- The same for all spellings of one address: scheme and host in lower case, no default port, a path. Its hash is indexed: URLs are long.
CREATE FUNCTION destination_key(url text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN url ~ '^https?://[a-z0-9.-]+/' OR url !~* '^https?://' THEN url ELSE -- Most are as they should be.
    regexp_replace(lower(substring(url FROM '^[^/]+//[^/?#]*')), '^(http://.*):80$|^(https://.*):443$', '\1\2')
    || regexp_replace(substring(url FROM '^[^/]+//[^/?#]*(.*)$'), '^(?!/)', '/') END
$$;

CREATE TABLE links (
  id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces (id),
  domain_id uuid NOT NULL REFERENCES domains (id), slug text NOT NULL, url text NOT NULL CHECK (length(url) <= 8192),
  -- archived: out of the way in lists, at the edge like a disabled link. deleted: the row stays, as clicks are shown with it.
  state text NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'disabled', 'archived', 'deleted')),
  redirect_status smallint NOT NULL DEFAULT 302 CHECK (redirect_status IN (301, 302, 307, 308)),
  -- It has its domain's status, also when that changes later.
  follows_domain_status boolean NOT NULL DEFAULT false, title text, tags text[] NOT NULL DEFAULT '{}',
  folder_id uuid REFERENCES folders (id), external_id text, -- The client's own name for a link, unique in a workspace; upserts go by it.
  -- As the client wrote it (rules, split, next, expiredUrl, forwardQuery, utm, openGraph, qr): shown again, never evaluated.
  smart jsonb NOT NULL DEFAULT '{}', starts_at timestamptz, expires_at timestamptz,
  password jsonb, -- {iterations, salt, hash}: PBKDF2 with SHA-256, salt and hash in base64url. Never shown.
  version bigint NOT NULL DEFAULT 1 CHECK (version >= 1), -- The edge never lets a lower one replace a higher one.
  record text NOT NULL, -- The link as published (link record, format 1) but for its version: compiled at write time.
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
  -- Since when it is in the trash, from where it can come back for 30 days. NULL of a deleted link: it ended with its domain.
  deleted_at timestamptz CHECK (deleted_at IS NULL OR state = 'deleted'),
  maker_id uuid, -- The key or the person that made it, by place_link.
  search_text text GENERATED ALWAYS AS (public.link_search_text(slug, url, title, tags)) STORED
);

-- The trash, newest first; and what has been there for too long.
CREATE INDEX links_in_trash ON links (workspace_id, deleted_at DESC, id DESC) WHERE deleted_at IS NOT NULL;
CREATE INDEX links_by_deletion ON links (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX links_by_address ON links (domain_id, slug) WHERE state <> 'deleted'; -- The trash keeps its own: is_reserved.
CREATE UNIQUE INDEX links_by_external_id ON links (workspace_id, external_id) WHERE external_id IS NOT NULL AND state <> 'deleted';
-- The orders in which lists are read, page by page.
CREATE INDEX links_by_creation ON links (workspace_id, created_at DESC, id DESC) WHERE state <> 'deleted';
CREATE INDEX links_by_update ON links (workspace_id, updated_at DESC, id DESC) WHERE state <> 'deleted';
CREATE INDEX links_by_slug ON links (workspace_id, slug COLLATE "C", id) WHERE state <> 'deleted';
-- Of few links: a list of them alone must not read through all the others.
CREATE INDEX links_by_rare_state ON links (workspace_id, state, created_at DESC, id DESC) WHERE state IN ('disabled', 'archived');
CREATE INDEX links_by_schedule ON links (workspace_id, created_at DESC, id DESC)
  WHERE state = 'live' AND (starts_at IS NOT NULL OR expires_at IS NOT NULL);
CREATE INDEX links_by_end ON links (expires_at) WHERE state = 'live' AND expires_at IS NOT NULL; -- For jobs: what expires, or has.
-- By workspace first: other workspaces' links cost nothing. The pending list is short, because every search reads all of it.
CREATE INDEX links_by_text ON links USING gin (workspace_id, search_text public.gin_trgm_ops)
  WITH (gin_pending_list_limit = 512) WHERE state <> 'deleted';
-- Deleted links too: their clicks count for their tags.
CREATE INDEX links_by_tags ON links USING gin (workspace_id, tags) WITH (gin_pending_list_limit = 256);
-- Filters are read together, as bitmaps. Postgres combines no two indexes that share a condition or predicate: these have neither.
CREATE INDEX links_in_domain ON links (domain_id);
CREATE INDEX links_in_folder ON links (folder_id) WHERE folder_id IS NOT NULL;
CREATE INDEX links_by_destination ON links (workspace_id, hashtextextended(public.destination_key(url), 0)) WHERE state <> 'deleted';

-- One row a link with a click cap. A narrow row of its own: a strict cap rewrites it with every redirect.
CREATE TABLE link_caps (
  link_id uuid PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
  mode text NOT NULL CHECK (mode IN ('strict', 'fast')), -- strict: taken before the redirect. fast: counted with the clicks.
  max_clicks bigint NOT NULL CHECK (max_clicks >= 1), used bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
  published_used_up boolean NOT NULL DEFAULT false, -- The link's record says so; cleared when the cap is raised.
  workspace_id uuid NOT NULL, -- The link's.
  -- What the last claim got: UPDATE can't return a former value, and a SELECT before it costs three quarters of a hot row's claims.
  claimed bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50); -- leave room on the page: a use is an update in place
CREATE INDEX link_caps_to_publish ON link_caps (link_id) WHERE NOT published_used_up AND used >= max_clicks;
CREATE INDEX link_caps_by_workspace ON link_caps (workspace_id, link_id) WHERE used >= max_clicks;

-- How many uses of a strict cap a caller gets: `wanted`, and of `spare` up to 1 % of what is left; NULL: none. A function has its own
-- limit for the wait, in a statement that holds the lock for its commit only. 25 ms: each commit wakes all that wait.
CREATE FUNCTION claim_uses(of_link uuid, wanted bigint, spare bigint) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '25ms' AS $$
  UPDATE link_caps SET
    claimed = least(max_clicks - used, greatest(wanted, least(wanted + spare, (max_clicks - used) / 100))),
    used = used + least(max_clicks - used, greatest(wanted, least(wanted + spare, (max_clicks - used) / 100)))
  WHERE link_id = of_link AND mode = 'strict' AND used < max_clicks RETURNING claimed
$$;

-- One row for each host and slug that ever led anywhere, a domain's settings (slug @) too: what is published about it, in a version
-- that only grows, through all its owners, above what any cache may hold. Triggers on links and domains write it, and links' versions.
CREATE TABLE addresses (
  host text NOT NULL, slug text NOT NULL, version bigint NOT NULL CHECK (version >= 1),
  link_id uuid NOT NULL, -- The link that is or was the last one here; of the slugs @ and *: the domain.
  ended_at timestamptz, -- Since when nothing is here any more, and any workspace may take the address.
  taken_at timestamptz NOT NULL DEFAULT now(),
  -- As published: a link or domain record, or a tombstone. Empty for slug *, which counts the files of links that the host got.
  record text NOT NULL, PRIMARY KEY (host, slug)
);
CREATE INDEX addresses_by_link ON addresses (link_id);
-- Links that forward what follows their slug (docs/*); their domain's record lists them.
CREATE INDEX addresses_forwarding ON addresses (host, slug) WHERE slug LIKE '%/*' AND ended_at IS NULL;

-- Gives back what no visitor came for, unless the link was edited since the edge got it, or is published as used up.
CREATE FUNCTION return_uses(of_link uuid, unused bigint, of_version bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
  UPDATE link_caps SET used = used - unused
  WHERE link_id = of_link AND mode = 'strict' AND NOT published_used_up AND used >= unused
    AND EXISTS (SELECT FROM addresses WHERE addresses.link_id = of_link AND version = of_version AND ended_at IS NULL)
$$;
REVOKE EXECUTE ON FUNCTION claim_uses(uuid, bigint, bigint), return_uses(uuid, bigint, bigint) FROM PUBLIC; -- roles.sql

-- As published: a record's last field is its version. Links and domains have it in a column, and their records are without.
CREATE FUNCTION in_version(record text, version bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT left(record, -1) || ',"version":' || version || '}' $$;
-- The encoders are packages/core/src/link/link-record.ts and domain-record.ts; a test compares.
CREATE FUNCTION tombstone_of(link_id uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT '{"format":1,"link":"' || link_id || '","state":"deleted","url":"","status":302}' $$;

CREATE FUNCTION published_domain(domain domains) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT in_version(left(domain.record, -1)
    || coalesce((SELECT ',"forwards":' || to_json(array_agg(left(slug, -2) ORDER BY slug)) FROM addresses
      WHERE host = domain.host AND slug LIKE '%/*' AND ended_at IS NULL), '')
    || CASE WHEN domain.suspended_at IS NULL THEN '}' ELSE ',"suspended":true}' END, domain.version)
$$;

-- How many more links of a domain may forward what follows their slug: 200 in all (MAX_FORWARDS, domain-record.ts).
CREATE FUNCTION forwards_left(of_host text) RETURNS bigint LANGUAGE sql STABLE
  AS $$ SELECT 200 - count(*) FROM addresses WHERE host = of_host AND slug LIKE '%/*' AND ended_at IS NULL $$;

CREATE FUNCTION leads_visitors(domain domains) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT domain.deleted_at IS NULL AND domain.proof <> 'pending' $$;

-- A host that the operator has suspended is nobody else's until it is resumed: on no port, and not once it is deleted.
CREATE FUNCTION is_suspended(of_host text, but_for uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM domains WHERE split_part(host, ':', 1) = split_part(of_host, ':', 1)
    AND suspended_at IS NOT NULL AND proof <> 'pending' AND id IS DISTINCT FROM but_for) $$;

-- How long a deleted link can come back.
CREATE FUNCTION is_in_trash(deleted_at timestamptz) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT deleted_at > now() - interval '30 days' $$;

-- An address that nothing is at is kept for its link in the trash, while the domain is the workspace's. A former alias ended earlier.
CREATE FUNCTION is_reserved(address addresses) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM links JOIN domains ON domains.id = links.domain_id
    WHERE links.id = address.link_id AND links.deleted_at = address.ended_at AND is_in_trash(links.deleted_at)
      AND domains.host = address.host AND leads_visitors(domains))
$$;

-- Locks an address for this transaction. Its first free version, or NULL if it leads to another link. A new one gets a tombstone.
CREATE FUNCTION lock_address(of_host text, of_slug text, of_link uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE kept addresses%ROWTYPE;
BEGIN
  INSERT INTO addresses (host, slug, version, link_id, ended_at, record)
  VALUES (of_host, of_slug, 1, of_link, now(), in_version(tombstone_of(of_link), 1)) ON CONFLICT DO NOTHING;
  IF FOUND THEN RETURN 1; END IF;
  SELECT * INTO kept FROM addresses WHERE host = of_host AND slug = of_slug FOR UPDATE;
  IF kept.link_id <> of_link AND (kept.ended_at IS NULL OR is_reserved(kept)) THEN RETURN NULL; END IF;
  RETURN kept.version + 1;
END $$;
CREATE FUNCTION end_addresses(of_link uuid) RETURNS void LANGUAGE sql AS $$
  UPDATE addresses SET version = version + 1, ended_at = now(), record = in_version(tombstone_of(link_id), version + 1)
  WHERE link_id = of_link AND slug <> '*' AND ended_at IS NULL
$$;

-- Before a link is written: its version. A new link at a taken address, or on a domain that leads nowhere, is skipped, like ON CONFLICT
-- DO NOTHING; one that moves there is an error. FOR SHARE: of link and domain changed together, the second sees the first.
CREATE FUNCTION place_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE on_host text; ignores_case boolean; first_version bigint;
BEGIN
  IF TG_OP = 'INSERT' THEN NEW.maker_id := substring(audit_context() ->> 'actor' FROM '^(?:key|person):(.+)$')::uuid; END IF;
  -- Its addresses may change the domain's record: two such links take turns, before they lock addresses.
  IF NEW.slug LIKE '%/*' OR TG_OP = 'UPDATE' AND EXISTS (SELECT FROM addresses WHERE link_id = NEW.id AND slug LIKE '%/*') THEN
    PERFORM FROM domains WHERE id = NEW.domain_id FOR NO KEY UPDATE;
  END IF;
  IF NEW.state = 'deleted' THEN
    NEW.version := greatest(NEW.version, OLD.version + 1);
    NEW.record := tombstone_of(NEW.id);
    RETURN NEW;
  END IF;
  SELECT host, coalesce((settings ->> 'ignoresCase')::boolean, false) INTO on_host, ignores_case
  FROM domains WHERE id = NEW.domain_id AND leads_visitors(domains) FOR SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  -- The API folds slugs by what it has read of the domain a moment before.
  IF ignores_case THEN NEW.slug := lower(NEW.slug); END IF;
  first_version := lock_address(on_host, NEW.slug, NEW.id);
  IF first_version IS NULL THEN
    IF TG_OP = 'INSERT' THEN RETURN NULL; END IF;
    RAISE unique_violation USING CONSTRAINT = 'links_by_address', MESSAGE = 'another link has this address';
  END IF;
  NEW.version := greatest(NEW.version, first_version, OLD.version + 1);
  RETURN NEW;
END $$;
CREATE TRIGGER links_place BEFORE INSERT ON links FOR EACH ROW EXECUTE FUNCTION place_link();
CREATE TRIGGER links_place_changed BEFORE UPDATE OF slug, state, version, record ON links FOR EACH ROW EXECUTE FUNCTION place_link();

-- After it is written: all its addresses say so. The one that a new slug leaves stays the link's, as an alias.
CREATE FUNCTION address_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE on_host text;
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM end_addresses(OLD.id);
  ELSIF NEW.state = 'deleted' THEN
    UPDATE addresses SET version = NEW.version, ended_at = now(), record = in_version(NEW.record, NEW.version)
    WHERE link_id = NEW.id AND ended_at IS NULL;
  ELSE
    SELECT host INTO on_host FROM domains WHERE id = NEW.domain_id;
    UPDATE addresses SET version = NEW.version, link_id = NEW.id, ended_at = NULL,
      -- Clicks say which alias they came through (packages/core/src/link/link-record.ts).
      record = in_version(CASE WHEN slug = NEW.slug THEN NEW.record ELSE left(NEW.record, -1) || ',"~alias":' || to_json(slug) || '}' END,
        NEW.version),
      taken_at = CASE WHEN ended_at IS NULL THEN taken_at ELSE now() END
    WHERE (host = on_host AND slug = NEW.slug)
      -- Out of the trash it also gets the aliases back that no other link has taken since.
      OR (link_id = NEW.id AND (ended_at IS NULL OR ended_at = OLD.deleted_at));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER links_address AFTER INSERT OR DELETE OR UPDATE OF slug, state, version, record ON links
  FOR EACH ROW EXECUTE FUNCTION address_link();

CREATE FUNCTION place_domain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE was_leading boolean := TG_OP = 'UPDATE' AND leads_visitors(OLD);
BEGIN
  IF TG_OP = 'INSERT' THEN
    -- FOR SHARE: of a workspace that is suspended and a domain that it adds at the same moment, the second sees the first.
    SELECT suspended_at, suspended_for INTO NEW.suspended_at, NEW.suspended_for FROM workspaces WHERE id = NEW.workspace_id FOR SHARE;
    IF is_suspended(NEW.host, NEW.id) THEN RETURN NULL; END IF; -- Skipped, as links at a taken address are.
  ELSIF (NEW.version, NEW.record, NEW.host, NEW.suspended_at)
      IS NOT DISTINCT FROM (OLD.version, OLD.record, OLD.host, OLD.suspended_at)
    AND leads_visitors(NEW) = was_leading THEN
    RETURN NEW;
  END IF;
  NEW.version := greatest(NEW.version, OLD.version + 1);
  IF leads_visitors(NEW) THEN
    IF NOT was_leading AND is_suspended(NEW.host, NEW.id) THEN
      RAISE unique_violation USING CONSTRAINT = 'domains_by_host', MESSAGE = 'the host is suspended';
    END IF;
    NEW.version := greatest(NEW.version, lock_address(NEW.host, '@', NEW.id));
    NEW.record := coalesce(NEW.record, '{"format":1,"domain":"' || NEW.id || '"}');
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER domains_place BEFORE INSERT OR UPDATE ON domains FOR EACH ROW EXECUTE FUNCTION place_domain();

CREATE FUNCTION address_domain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR NOT leads_visitors(NEW) THEN
    PERFORM end_addresses(OLD.id);
    DELETE FROM domain_logos WHERE domain_id = NEW.id AND NEW.deleted_at IS NOT NULL;
    RETURN NULL;
  END IF;
  UPDATE addresses SET version = NEW.version, link_id = NEW.id, ended_at = NULL, record = published_domain(NEW),
    taken_at = CASE WHEN ended_at IS NULL THEN taken_at ELSE now() END
  WHERE host = NEW.host AND slug = '@' AND (version < NEW.version OR ended_at IS NOT NULL);
  IF TG_OP = 'UPDATE' AND NEW.host <> OLD.host THEN
    -- Only `pnpm dev` does this, when it moves to another port.
    UPDATE links SET version = version + 1 WHERE domain_id = NEW.id AND state <> 'deleted';
    UPDATE addresses SET version = version + 1, ended_at = now(), record = in_version(tombstone_of(link_id), version + 1)
    WHERE host = OLD.host AND slug <> '*' AND ended_at IS NULL;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER domains_address AFTER INSERT OR DELETE OR UPDATE ON domains FOR EACH ROW EXECUTE FUNCTION address_domain();

CREATE FUNCTION list_forwarding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.ended_at IS NULL AND forwards_left(NEW.host) < 0 THEN
    RAISE check_violation USING CONSTRAINT = 'forwards_of_domain', MESSAGE = 'the domain has as many forwarding links as it may';
  END IF;
  UPDATE domains SET version = version + 1 WHERE host = NEW.host AND leads_visitors(domains);
  RETURN NULL;
END $$;
CREATE TRIGGER addresses_forwarding AFTER UPDATE OF ended_at ON addresses FOR EACH ROW
  WHEN (NEW.slug LIKE '%/*' AND (OLD.ended_at IS NULL) <> (NEW.ended_at IS NULL)) EXECUTE FUNCTION list_forwarding();

-- A domain that was suspended by itself stays so when its workspace is not any more. Deleted ones are resumed, too: they may be added again.
CREATE FUNCTION suspend_domains() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- In the order in which every transaction locks several.
  PERFORM FROM domains WHERE workspace_id = NEW.id ORDER BY id FOR NO KEY UPDATE;
  UPDATE domains SET suspended_at = NEW.suspended_at, suspended_for = NEW.suspended_for
  WHERE workspace_id = NEW.id AND suspended_at IS NOT DISTINCT FROM OLD.suspended_at
    AND (deleted_at IS NULL OR NEW.suspended_at IS NULL);
  RETURN NULL;
END $$;
CREATE TRIGGER workspaces_suspended AFTER UPDATE OF suspended_at ON workspaces
  FOR EACH ROW WHEN (OLD.suspended_at IS DISTINCT FROM NEW.suspended_at) EXECUTE FUNCTION suspend_domains();

-- Other tags make another version. The edge knows no tags and is not told: the link's version is ahead of its addresses' for a while.
CREATE FUNCTION version_retagged_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := greatest(NEW.version, OLD.version + 1);
  RETURN NEW;
END $$;
-- After links_place_changed (triggers run in the order of their names), whose version is then new already.
CREATE TRIGGER links_retagged_version BEFORE UPDATE OF tags ON links
  FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags) EXECUTE FUNCTION version_retagged_link();

-- How many links have each tag: the sum of its rows. A statement adds what it changes, and waits for no other transaction's count.
CREATE TABLE tag_counts (
  workspace_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL, -- In the order of tags_by_name.
  links bigint NOT NULL -- That are not deleted; what was added or taken away.
);
CREATE INDEX tag_counts_by_name ON tag_counts (workspace_id, name);

-- Makes one row of several, but for those that another transaction is about to.
CREATE FUNCTION sum_tag_counts(of_workspace uuid) RETURNS void LANGUAGE sql AS $$
  WITH summed AS (
    DELETE FROM tag_counts WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM tag_counts WHERE workspace_id = of_workspace AND name IN (
        SELECT name FROM tag_counts WHERE workspace_id = of_workspace GROUP BY name HAVING count(*) > 1)
      FOR UPDATE SKIP LOCKED))
    RETURNING name, links
  )
  INSERT INTO tag_counts SELECT of_workspace, name, sum(links) FROM summed GROUP BY name HAVING sum(links) <> 0
$$;

CREATE FUNCTION count_tags() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE changes tag_counts[] := '{}';
BEGIN
  IF TG_OP <> 'DELETE' THEN
    changes := ARRAY(
      SELECT ROW(workspace_id, tag, count(*))::tag_counts FROM written, unnest(tags) AS tag
      WHERE state <> 'deleted' GROUP BY workspace_id, tag);
  END IF;
  IF TG_OP <> 'INSERT' THEN
    changes := changes || ARRAY(
      SELECT ROW(workspace_id, tag, -count(*))::tag_counts FROM before, unnest(tags) AS tag
      WHERE state <> 'deleted' GROUP BY workspace_id, tag);
  END IF;
  INSERT INTO tags (id, workspace_id, name, is_kept)
  SELECT gen_random_uuid(), workspace_id, name, false FROM unnest(changes) AS added
  WHERE links > 0 AND NOT EXISTS (SELECT FROM tags WHERE tags.workspace_id = added.workspace_id AND tags.name = added.name)
  GROUP BY workspace_id, name ORDER BY workspace_id, name ON CONFLICT DO NOTHING; -- In order: no two statements wait in a circle.
  INSERT INTO tag_counts
  SELECT workspace_id, name, sum(links) FROM unnest(changes) GROUP BY workspace_id, name HAVING sum(links) <> 0;
  -- Now and then, so that few rows have to be added up; and when rows of links go, after which nothing may come.
  IF FOUND AND (TG_OP = 'DELETE' OR random() < 0.02) THEN
    PERFORM sum_tag_counts(workspace_id) FROM (SELECT DISTINCT workspace_id FROM unnest(changes)) AS changed;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER links_tags_counted AFTER INSERT ON links REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION count_tags();
CREATE TRIGGER links_tags_counted_changed AFTER UPDATE ON links REFERENCING OLD TABLE AS before NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION count_tags();
CREATE TRIGGER links_tags_counted_deleted AFTER DELETE ON links REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION count_tags();
