-- How many links have each tag, kept with the links: to count them for a list of tags, each of 100,000 links had to be read.
CREATE TABLE IF NOT EXISTS tag_counts (
  workspace_id uuid NOT NULL,
  -- In the order of tags_by_name.
  name text COLLATE "C" NOT NULL,
  -- That are not deleted.
  links bigint NOT NULL,
  PRIMARY KEY (workspace_id, name)
);

-- In one order, so that two statements that change many links wait for each other and do not lock each other out.
CREATE OR REPLACE FUNCTION change_tag_counts(changes tag_counts[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO tag_counts AS kept
  SELECT workspace_id, name, sum(links) FROM unnest(changes)
  GROUP BY workspace_id, name HAVING sum(links) <> 0 ORDER BY workspace_id, name
  ON CONFLICT (workspace_id, name) DO UPDATE SET links = kept.links + excluded.links;
  DELETE FROM tag_counts AS kept USING unnest(changes) AS change
  WHERE kept.workspace_id = change.workspace_id AND kept.name = change.name AND kept.links = 0
$$;

CREATE OR REPLACE FUNCTION count_tags() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  changes tag_counts[] := '{}';
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
  IF changes <> '{}' THEN
    PERFORM change_tag_counts(changes);
  END IF;
  RETURN NULL;
END
$$;
DROP TRIGGER IF EXISTS links_tags_counted ON links;
CREATE TRIGGER links_tags_counted AFTER INSERT ON links REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION count_tags();
DROP TRIGGER IF EXISTS links_tags_counted_changed ON links;
CREATE TRIGGER links_tags_counted_changed AFTER UPDATE ON links REFERENCING OLD TABLE AS before NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION count_tags();
DROP TRIGGER IF EXISTS links_tags_counted_deleted ON links;
CREATE TRIGGER links_tags_counted_deleted AFTER DELETE ON links REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION count_tags();

-- As in 0033, but once for a transaction: a tag that is renamed on thousands of links raised the revision for each of them, where
-- the item was due.
CREATE OR REPLACE FUNCTION enqueue_tag_cells() RETURNS trigger
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

-- The triggers keep everybody else from changing links until these are counted.
DELETE FROM tag_counts;
INSERT INTO tag_counts
SELECT workspace_id, tag, count(*) FROM links, unnest(tags) AS tag WHERE state <> 'deleted' GROUP BY workspace_id, tag;
