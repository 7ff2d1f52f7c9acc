-- A tag is the sum of its links: its cells in click_cube are made from theirs (packages/analytics/README.md), when a day is made
-- and when links get or lose tags. Cells are never wrong meanwhile: who reads them compares their links with the tag's.

-- One item for a workspace, however many links change: one that has not started yet does it for all of them.
CREATE OR REPLACE FUNCTION enqueue_tag_cells() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM work WHERE kind = 'tags' AND key = OLD.workspace_id::text AND lease IS NULL AND payload = '{}'
      AND due_at > clock_timestamp() + interval '10 seconds'
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
DROP TRIGGER IF EXISTS links_retagged ON links;
CREATE CONSTRAINT TRIGGER links_retagged AFTER UPDATE OF tags ON links DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags) EXECUTE FUNCTION enqueue_tag_cells();
DROP TRIGGER IF EXISTS tagged_links_deleted ON links;
CREATE CONSTRAINT TRIGGER tagged_links_deleted AFTER DELETE ON links DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.tags <> '{}') EXECUTE FUNCTION enqueue_tag_cells();

INSERT INTO work (kind, key)
SELECT DISTINCT 'tags', workspace_id::text FROM links WHERE tags <> '{}'
ON CONFLICT (kind, key) DO NOTHING;
