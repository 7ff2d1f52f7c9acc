-- A link and its domain change at the same moment: who comes second sees what the first has done.

-- As in 0021, but for the lock: FOR SHARE waits for a domain that is losing its proof, or that begins to ignore case, and
-- makes it wait for links that are being written.
CREATE OR REPLACE FUNCTION place_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  on_host text;
  ignores_case boolean;
  first_version bigint;
BEGIN
  IF NEW.state = 'deleted' THEN
    NEW.version := greatest(NEW.version, OLD.version + 1);
    NEW.record := tombstone_of(NEW.id, NEW.version);
    RETURN NEW;
  END IF;
  SELECT host, coalesce((settings ->> 'ignoresCase')::boolean, false) INTO on_host, ignores_case
  FROM domains WHERE id = NEW.domain_id AND leads_visitors(domains) FOR SHARE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  -- The API folds slugs by what it has read of the domain a moment before.
  IF ignores_case THEN
    NEW.slug := lower(NEW.slug);
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

-- The first version here was never written to KV, because its import found no writes left on that day. Nor need its tombstone
-- be: without this, the deletion of a large domain costs more writes than its import was given.
ALTER TABLE addresses ADD COLUMN IF NOT EXISTS left_out boolean NOT NULL DEFAULT false;

-- As in 0021, but for left_out: every other version of a link is written to KV.
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
    UPDATE addresses SET version = NEW.version, link_id = NEW.id, ended_at = NULL, record = NEW.record, left_out = false,
      taken_at = CASE WHEN ended_at IS NULL THEN taken_at ELSE now() END
    WHERE (host = on_host AND slug = NEW.slug) OR (link_id = NEW.id AND ended_at IS NULL);
  END IF;
  RETURN NULL;
END
$$;

-- 0021 published every link that follows its domain's default status again, also those that KV never had. What of that is not
-- done yet is left to the work that spares KV's daily writes and comes after edits. An edit has the time of its link's change.
WITH moved AS (
  DELETE FROM work USING addresses, links
  WHERE work.kind = 'publish' AND work.lease IS NULL AND work.attempts = 0 AND NOT work.payload ? 'isPublished'
    AND addresses.host = split_part(work.key, '/', 1) AND addresses.slug = split_part(work.key, '/', 2)
    AND addresses.version = (work.payload ->> 'version')::bigint AND addresses.ended_at IS NULL
    AND links.id = addresses.link_id AND links.follows_domain_status AND links.updated_at < work.wanted_at
  RETURNING addresses.host, addresses.slug, addresses.version
)
INSERT INTO work (kind, key, payload)
SELECT 'publish-import', host || '/' || slug, jsonb_build_object('host', host, 'slug', slug, 'version', version, 'again', true)
FROM moved ORDER BY 2
ON CONFLICT (kind, key) DO NOTHING;
