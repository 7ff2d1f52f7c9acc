-- Addresses. One row for each host and slug that ever led anywhere, a domain's own settings (slug @) included: what the
-- edge is told about it, and a version that only grows, whoever has the address. The row outlives its link and its domain,
-- so the next owner starts above the last record that any cache may still hold.
--
-- Triggers on links and domains keep it, so that nobody can write around it: not a release before this one, not a script.
-- They give a link its version too: whatever a statement says, a changed link gets the next one, and one that takes an
-- address starts above whatever was published there.

CREATE TABLE IF NOT EXISTS addresses (
  host text NOT NULL,
  slug text NOT NULL,
  version bigint NOT NULL CHECK (version >= 1),
  -- The link that is or was the last one here; of the slugs @ and *: the domain.
  link_id uuid NOT NULL,
  -- Since when nothing is here any more; then anybody may take the address. NULL: it leads to the link.
  ended_at timestamptz,
  taken_at timestamptz NOT NULL DEFAULT now(),
  -- As published in that version: a link record or a domain record; a tombstone where nothing is here any more. Of slug *,
  -- which counts the times that links came to the host in a file: empty.
  record text NOT NULL,
  PRIMARY KEY (host, slug)
);
CREATE INDEX IF NOT EXISTS addresses_by_link ON addresses (link_id);

-- A deleted domain keeps its row: clicks are shown with its host. It keeps the host to itself until its links have ended
-- and their tombstones are published.
ALTER TABLE domains
  ADD COLUMN IF NOT EXISTS deleted_at timestamptz,
  ADD COLUMN IF NOT EXISTS released_at timestamptz;
ALTER TABLE domains DROP CONSTRAINT IF EXISTS domains_host_key;
CREATE UNIQUE INDEX IF NOT EXISTS domains_by_host ON domains (host) WHERE released_at IS NULL;
CREATE INDEX IF NOT EXISTS domains_to_release ON domains (deleted_at) WHERE deleted_at IS NOT NULL AND released_at IS NULL;

-- Until its rows are removed.
ALTER TABLE workspaces ADD COLUMN IF NOT EXISTS deleted_at timestamptz;

-- Deleted links keep their rows as well, for the same reason, but stay out of what lists read.
DROP INDEX IF EXISTS links_by_workspace, links_by_update, links_by_slug, links_by_word, links_by_address_and_version;
CREATE INDEX IF NOT EXISTS links_by_creation ON links (workspace_id, created_at DESC, id DESC) WHERE state <> 'deleted';
CREATE INDEX IF NOT EXISTS links_by_update ON links (workspace_id, updated_at DESC, id DESC) WHERE state <> 'deleted';
CREATE INDEX IF NOT EXISTS links_by_slug ON links (workspace_id, slug COLLATE "C", id) WHERE state <> 'deleted';
CREATE INDEX IF NOT EXISTS links_by_word ON links USING gin (search) WHERE state <> 'deleted';

-- Records of both formats begin with format, owner and version, in this order.
CREATE OR REPLACE FUNCTION record_in_version(record text, version bigint) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(record, '"version":[0-9]+', '"version":' || version)
  $$;

-- The encoders are packages/core/src/link/link-record.ts and domain-record.ts; a test compares.
CREATE OR REPLACE FUNCTION tombstone_of(link_id uuid, version bigint) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{"format":1,"link":"' || link_id || '","version":' || version || ',"state":"deleted","url":"","status":302}'
  $$;

CREATE OR REPLACE FUNCTION plain_domain_record(domain_id uuid, version bigint) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{"format":1,"domain":"' || domain_id || '","version":' || version || '}'
  $$;

-- Locks an address until the end of the transaction. Returns the first version that is free there, or NULL if the address
-- leads to somebody else. An address that is new gets a tombstone, in case its link is not written after all.
CREATE OR REPLACE FUNCTION lock_address(of_host text, of_slug text, of_link uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  kept addresses%ROWTYPE;
BEGIN
  INSERT INTO addresses (host, slug, version, link_id, ended_at, record)
  VALUES (of_host, of_slug, 1, of_link, now(), tombstone_of(of_link, 1))
  ON CONFLICT DO NOTHING;
  IF FOUND THEN
    RETURN 1;
  END IF;
  SELECT * INTO kept FROM addresses WHERE host = of_host AND slug = of_slug FOR UPDATE;
  IF kept.ended_at IS NULL AND kept.link_id <> of_link THEN
    RETURN NULL;
  END IF;
  RETURN kept.version + 1;
END
$$;

-- Before a link is written: its version, and its record in that version. A new link at an address that leads elsewhere is
-- skipped, as ON CONFLICT DO NOTHING would do it; a link that moves there is an error. So is everything on a domain that
-- leads nowhere: the lock makes a deletion and a new link take turns.
CREATE OR REPLACE FUNCTION place_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  on_host text;
  first_version bigint;
BEGIN
  IF NEW.state = 'deleted' THEN
    NEW.version := greatest(NEW.version, OLD.version + 1);
    NEW.record := tombstone_of(NEW.id, NEW.version);
    RETURN NEW;
  END IF;
  SELECT host INTO on_host FROM domains WHERE id = NEW.domain_id AND leads_visitors(domains) FOR KEY SHARE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  first_version := lock_address(on_host, NEW.slug, NEW.id);
  IF first_version IS NULL AND TG_OP = 'INSERT' THEN
    RETURN NULL;
  ELSIF first_version IS NULL THEN
    RAISE unique_violation USING CONSTRAINT = 'links_by_address', MESSAGE = 'another link has this address';
  END IF;
  NEW.version := greatest(NEW.version, first_version);
  IF TG_OP = 'UPDATE' THEN
    NEW.version := greatest(NEW.version, OLD.version + 1);
  END IF;
  NEW.record := record_in_version(NEW.record, NEW.version);
  RETURN NEW;
END
$$;

-- After it is written: all its addresses say so. The one that a new slug leaves stays the link's, as an alias.
CREATE OR REPLACE FUNCTION address_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  on_host text;
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM end_addresses(OLD.id);
  ELSIF NEW.state = 'deleted' THEN
    UPDATE addresses SET version = NEW.version, ended_at = now(), record = NEW.record
    WHERE link_id = NEW.id AND ended_at IS NULL;
  ELSE
    SELECT host INTO on_host FROM domains WHERE id = NEW.domain_id;
    UPDATE addresses SET version = NEW.version, link_id = NEW.id, ended_at = NULL, record = NEW.record,
      taken_at = CASE WHEN ended_at IS NULL THEN taken_at ELSE now() END
    WHERE (host = on_host AND slug = NEW.slug) OR (link_id = NEW.id AND ended_at IS NULL);
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION end_addresses(of_link uuid) RETURNS void LANGUAGE sql AS $$
  UPDATE addresses SET version = version + 1, ended_at = now(), record = tombstone_of(link_id, version + 1)
  WHERE link_id = of_link AND slug <> '*' AND ended_at IS NULL
$$;

-- Whether visitors may be sent anywhere by this domain.
CREATE OR REPLACE FUNCTION leads_visitors(domain domains) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT domain.deleted_at IS NULL
$$;

CREATE OR REPLACE FUNCTION place_domain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was_leading boolean := TG_OP = 'UPDATE' AND leads_visitors(OLD);
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.record IS NOT DISTINCT FROM OLD.record AND NEW.host = OLD.host
    AND leads_visitors(NEW) = was_leading THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'UPDATE' THEN
    NEW.version := greatest(NEW.version, OLD.version + 1);
  END IF;
  IF leads_visitors(NEW) THEN
    NEW.version := greatest(NEW.version, lock_address(NEW.host, '@', NEW.id));
    NEW.record := record_in_version(coalesce(NEW.record, plain_domain_record(NEW.id, 1)), NEW.version);
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION address_domain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR NOT leads_visitors(NEW) THEN
    PERFORM end_addresses(OLD.id);
    RETURN NULL;
  END IF;
  UPDATE addresses SET version = NEW.version, link_id = NEW.id, ended_at = NULL, record = NEW.record,
    taken_at = CASE WHEN ended_at IS NULL THEN taken_at ELSE now() END
  WHERE host = NEW.host AND slug = '@' AND (version < NEW.version OR ended_at IS NOT NULL);
  IF TG_OP = 'UPDATE' AND NEW.host <> OLD.host THEN
    -- Only `pnpm dev` does this, when it moves to another port.
    UPDATE links SET version = version + 1 WHERE domain_id = NEW.id AND state <> 'deleted';
    UPDATE addresses SET version = version + 1, ended_at = now(), record = tombstone_of(link_id, version + 1)
    WHERE host = OLD.host AND slug <> '*' AND ended_at IS NULL;
  END IF;
  RETURN NULL;
END
$$;

-- What is there already. The locks keep writers out until the triggers are in place.
LOCK TABLE domains, links, retired_addresses IN SHARE ROW EXCLUSIVE MODE;
UPDATE domains SET record = plain_domain_record(id, version) WHERE record IS NULL;
-- The edge reads a domain's default redirect status, so a domain's record says it, and that of a link without one of its own
-- says that it follows: a new version of both, published below.
UPDATE domains SET version = version + 1, record = rtrim(record_in_version(record, version + 1), '}')
  || ',"status":' || (settings ->> 'redirectStatus') || '}'
WHERE settings ->> 'redirectStatus' IS NOT NULL AND record NOT LIKE '%"status":%';
UPDATE links SET version = version + 1,
  record = regexp_replace(record_in_version(record, version + 1), '("status":[0-9]+)', '\1,"~follows":true')
WHERE follows_domain_status AND state <> 'deleted' AND record NOT LIKE '%"~follows":true%';
INSERT INTO addresses (host, slug, version, link_id, record)
SELECT host, '@', version, id, record FROM domains
ON CONFLICT DO NOTHING;
-- How often links came to a host in a file (slug *); see 0013.
INSERT INTO addresses (host, slug, version, link_id, record)
SELECT host, '*', arrivals, id, '' FROM domains WHERE arrivals > 0
ON CONFLICT DO NOTHING;
-- Of the links that had an address one after the other, the highest version counts; tombstones of links that have left it
-- are in retired_addresses, also of domains that are gone.
INSERT INTO addresses (host, slug, version, link_id, ended_at, taken_at, record)
SELECT DISTINCT ON (host, slug) host, slug, version, link_id, ended_at, taken_at, record
FROM (
  SELECT domains.host, links.slug, links.version, links.id AS link_id,
    CASE links.state WHEN 'deleted' THEN links.updated_at END AS ended_at, links.created_at AS taken_at, links.record
  FROM links JOIN domains ON domains.id = links.domain_id
  UNION ALL
  SELECT split_part(link_key, '/', 1), split_part(link_key, '/', 2), version, link_id, retired_at, retired_at,
    tombstone_of(link_id, version)
  FROM retired_addresses
) AS known
ORDER BY host, slug, version DESC, ended_at DESC NULLS FIRST
ON CONFLICT DO NOTHING;

-- Also plain domains, which were not in KV before.
INSERT INTO work AS kept (kind, key, payload)
SELECT 'publish', addresses.host || '/' || addresses.slug,
  jsonb_build_object('linkId', link_id, 'version', addresses.version, 'record', addresses.record)
FROM addresses LEFT JOIN links ON links.id = link_id
WHERE ended_at IS NULL AND (addresses.slug = '@' OR links.follows_domain_status)
ON CONFLICT (kind, key) DO UPDATE SET payload = excluded.payload, revision = kept.revision + 1
WHERE (kept.payload ->> 'version')::bigint < (excluded.payload ->> 'version')::bigint;

DROP INDEX IF EXISTS links_following_domain, domains_with_links_behind;
DROP TRIGGER IF EXISTS links_new_at_address ON links;
DROP TRIGGER IF EXISTS links_moved_to_address ON links;
DROP FUNCTION IF EXISTS require_newest_at_address();

DROP TRIGGER IF EXISTS links_place ON links;
CREATE TRIGGER links_place BEFORE INSERT ON links FOR EACH ROW EXECUTE FUNCTION place_link();
DROP TRIGGER IF EXISTS links_place_changed ON links;
CREATE TRIGGER links_place_changed BEFORE UPDATE OF slug, state, version, record ON links
  FOR EACH ROW EXECUTE FUNCTION place_link();
DROP TRIGGER IF EXISTS links_address ON links;
CREATE TRIGGER links_address AFTER INSERT OR DELETE OR UPDATE OF slug, state, version, record ON links
  FOR EACH ROW EXECUTE FUNCTION address_link();

DROP TRIGGER IF EXISTS domains_place ON domains;
CREATE TRIGGER domains_place BEFORE INSERT OR UPDATE ON domains FOR EACH ROW EXECUTE FUNCTION place_domain();
DROP TRIGGER IF EXISTS domains_address ON domains;
CREATE TRIGGER domains_address AFTER INSERT OR DELETE OR UPDATE ON domains
  FOR EACH ROW EXECUTE FUNCTION address_domain();

-- Kept for the release before this one, and read by nobody since: retired_addresses, domains.arrivals and
-- domains.status_changed_at.
