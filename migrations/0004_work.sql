-- Work that has to be done later, once, by whichever Worker gets to it first: changes to publish, links whose cap is used
-- up, the consumer's scheduled jobs. A row is work that is still to be done; done work has no row.
CREATE TABLE work (
  -- What is to be done. A Worker claims the kinds that it has a handler for.
  kind text NOT NULL,
  -- To what: at most one row for each, however often it is asked for.
  key text NOT NULL,
  payload jsonb NOT NULL DEFAULT '{}',
  -- Grows each time the row is enqueued again. Settling an older revision leaves the newer one to be done.
  revision bigint NOT NULL DEFAULT 1,
  -- Since when it should have been done. Leases and retries move due_at, not this: it tells the age of the backlog.
  wanted_at timestamptz NOT NULL DEFAULT now(),
  -- When it may be claimed. A lease moves this to its own end, so that the index finds what nobody works on.
  due_at timestamptz NOT NULL DEFAULT now(),
  -- Who works on it, until due_at.
  lease uuid,
  -- Claims since it was last done or enqueued, those included that never came back.
  attempts integer NOT NULL DEFAULT 0,
  -- SQLSTATE or name of the last error; never its message, which may quote data.
  last_error text,
  PRIMARY KEY (kind, key)
);
CREATE INDEX work_by_due ON work (kind, due_at);

-- Every row is updated several times and deleted soon after: without this, dead rows pile up at the front of the index.
ALTER TABLE work SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

-- Whether a host has changes that are not published yet: before it is given to its next owner.
CREATE INDEX work_unpublished_by_host ON work (split_part(key, '/', 1))
  WHERE kind = 'publish' AND payload ->> 'isPublished' IS NULL;
-- How long the oldest item of each kind has waited, and what fails: for metrics and `pnpm doctor`.
CREATE INDEX work_by_wanted ON work (kind, wanted_at);
CREATE INDEX work_failing ON work (kind) WHERE last_error IS NOT NULL;

-- Writes to KV by day (UTC), counted only where KV_WRITES_PER_DAY limits them.
CREATE TABLE kv_writes (
  day date PRIMARY KEY,
  writes bigint NOT NULL DEFAULT 0,
  -- Imported links that were not written because the day had no writes left for them.
  left_out bigint NOT NULL DEFAULT 0
);

-- A tag is the sum of its links: its cells in click_cube are made from theirs (packages/analytics/README.md), when a day is made
-- and when links get or lose tags. Cells are never wrong meanwhile: who reads them compares their links with the tag's.
-- One item for a workspace, however many links change, and once for a transaction.
CREATE FUNCTION enqueue_tag_cells() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM work WHERE kind = 'tags' AND key = OLD.workspace_id::text
      AND (work.xmin = pg_current_xact_id()::xid
        OR (lease IS NULL AND payload = '{}' AND due_at > clock_timestamp() + interval '10 seconds'))
  ) THEN
    INSERT INTO work AS kept (kind, key, wanted_at, due_at)
    VALUES ('tags', OLD.workspace_id::text, now() + interval '1 minute', now() + interval '1 minute')
    ON CONFLICT (kind, key) DO UPDATE SET revision = kept.revision + 1, payload = '{}';
  END IF;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION enqueue_tag_cells() FROM PUBLIC;

-- Deferred: the item is locked for the moment of the commit only.
CREATE CONSTRAINT TRIGGER links_retagged AFTER UPDATE OF tags ON links DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags) EXECUTE FUNCTION enqueue_tag_cells();
CREATE CONSTRAINT TRIGGER tagged_links_deleted AFTER DELETE ON links DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.tags <> '{}') EXECUTE FUNCTION enqueue_tag_cells();
