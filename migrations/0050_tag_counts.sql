-- How many links have each tag, kept with the links: to count them for a list of tags, each of 100,000 links had to be read. A count
-- is the sum of its rows: a statement adds what it changes, so that none waits for a count that another transaction changes.
CREATE TABLE IF NOT EXISTS tag_counts (
  workspace_id uuid NOT NULL,
  -- In the order of tags_by_name.
  name text COLLATE "C" NOT NULL,
  -- That are not deleted; what was added or taken away.
  links bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS tag_counts_by_name ON tag_counts (workspace_id, name);

-- Makes one row of several, but for those that somebody else is about to.
CREATE OR REPLACE FUNCTION sum_tag_counts(of_workspace uuid) RETURNS void LANGUAGE sql AS $$
  WITH summed AS (
    DELETE FROM tag_counts WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM tag_counts WHERE workspace_id = of_workspace AND name IN (
        SELECT name FROM tag_counts WHERE workspace_id = of_workspace GROUP BY name HAVING count(*) > 1)
      FOR UPDATE SKIP LOCKED))
    RETURNING name, links
  )
  INSERT INTO tag_counts SELECT of_workspace, name, sum(links) FROM summed GROUP BY name HAVING sum(links) <> 0
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
  INSERT INTO tag_counts
  SELECT workspace_id, name, sum(links) FROM unnest(changes) GROUP BY workspace_id, name HAVING sum(links) <> 0;
  -- Now and then, so that few rows have to be added up; and when rows of links go, after which nothing may come.
  IF FOUND AND (TG_OP = 'DELETE' OR random() < 0.02) THEN
    PERFORM sum_tag_counts(workspace_id) FROM (SELECT DISTINCT workspace_id FROM unnest(changes)) AS changed;
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
