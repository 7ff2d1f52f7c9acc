-- Two promises about addresses, kept by the database itself because two requests at once could break either.

-- Versions at an address never go back. Whoever puts a link somewhere has read the highest version there a moment
-- before; a deletion or a move that came in between would leave a tombstone that the edge holds for the newer one.
-- SQLSTATE HL001: read again and try again.
CREATE OR REPLACE FUNCTION require_newest_at_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The unique index has made this insert wait for whoever was about to leave the address, and each statement in here
  -- sees what was committed until now: no tombstone of an earlier link can come after this.
  IF EXISTS (
    SELECT FROM links AS earlier
    WHERE earlier.domain_id = NEW.domain_id AND earlier.slug = NEW.slug AND earlier.id <> NEW.id
      AND earlier.version >= NEW.version
  ) OR EXISTS (
    SELECT FROM retired_addresses AS retired JOIN domains ON domains.id = NEW.domain_id
    WHERE retired.link_key = domains.host || '/' || NEW.slug AND retired.version >= NEW.version
  ) THEN
    RAISE EXCEPTION 'an earlier link at this address has this version or a higher one' USING ERRCODE = 'HL001';
  END IF;
  RETURN NULL;
END
$$;

DROP TRIGGER IF EXISTS links_new_at_address ON links;
CREATE TRIGGER links_new_at_address AFTER INSERT ON links
  FOR EACH ROW WHEN (NEW.state <> 'deleted') EXECUTE FUNCTION require_newest_at_address();
DROP TRIGGER IF EXISTS links_moved_to_address ON links;
CREATE TRIGGER links_moved_to_address AFTER UPDATE OF slug ON links
  FOR EACH ROW WHEN (NEW.slug <> OLD.slug AND NEW.state <> 'deleted') EXECUTE FUNCTION require_newest_at_address();

-- Links that came in a file are not published one by one. This counts the times that some came to a domain; the edge is
-- told the count and forgets which slugs it held for unknown there. The row's lock orders those who count.
ALTER TABLE domains ADD COLUMN IF NOT EXISTS arrivals bigint NOT NULL DEFAULT 0;
