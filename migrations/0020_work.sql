-- Work that has to be done later, once, by whichever Worker gets to it first: changes to publish, links whose cap is used
-- up, the consumer's scheduled jobs. A row is work that is still to be done; done work has no row.
CREATE TABLE IF NOT EXISTS work (
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
CREATE INDEX IF NOT EXISTS work_by_due ON work (kind, due_at);

-- Every row is updated several times and deleted soon after: without this, dead rows pile up at the front of the index.
ALTER TABLE work SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

-- Writes to KV by day (UTC), counted only where KV_WRITES_PER_DAY limits them.
CREATE TABLE IF NOT EXISTS kv_writes (
  day date PRIMARY KEY,
  writes bigint NOT NULL DEFAULT 0,
  -- Imported links that were not written because the day had no writes left for them.
  left_out bigint NOT NULL DEFAULT 0
);

-- link_outbox was the same for publishing alone. What waits there is moved. The API of the release before this one keeps
-- writing it until it is replaced; the trigger copies that, for a moment after the old API should have published it. Table
-- and trigger can be dropped one release later.
CREATE OR REPLACE FUNCTION copy_outbox_to_work() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO work AS kept (kind, key, payload, due_at)
  VALUES ('publish', NEW.link_key,
    jsonb_build_object('linkId', NEW.link_id, 'version', NEW.version, 'record', NEW.record), NEW.due_at)
  ON CONFLICT (kind, key) DO UPDATE
    SET payload = excluded.payload, revision = kept.revision + 1, wanted_at = least(kept.wanted_at, excluded.wanted_at)
    WHERE (kept.payload ->> 'version')::bigint < (excluded.payload ->> 'version')::bigint;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION copy_outbox_to_work() FROM PUBLIC;

DROP TRIGGER IF EXISTS link_outbox_to_work ON link_outbox;
CREATE TRIGGER link_outbox_to_work AFTER INSERT OR UPDATE OF version ON link_outbox
  FOR EACH ROW EXECUTE FUNCTION copy_outbox_to_work();

WITH moved AS (DELETE FROM link_outbox RETURNING *)
INSERT INTO work (kind, key, payload, wanted_at, due_at, attempts)
SELECT 'publish', link_key,
  jsonb_build_object('linkId', link_id, 'version', version, 'record', record)
    || CASE WHEN published_at IS NULL THEN '{}' ELSE '{"isPublished": true}'::jsonb END,
  CASE WHEN published_at IS NULL THEN created_at ELSE due_at END, due_at, attempts
FROM moved
ON CONFLICT (kind, key) DO NOTHING;
