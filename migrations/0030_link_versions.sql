-- What each version of a link was: a click holds its link's version, so its destination is known after any number of edits, and
-- an edit can be undone. Triggers write it, in the statement that changes the link, as they give it its version (0021).
CREATE TABLE IF NOT EXISTS link_versions (
  link_id uuid NOT NULL REFERENCES links (id) ON DELETE CASCADE,
  version bigint NOT NULL,
  -- Where visitors were sent who met no rule, no split and no scheduled switch.
  destination text NOT NULL,
  created_at timestamptz NOT NULL,
  -- Everything else that an edit can change, by column of `links`, without what is null; a cap as {mode, max_clicks}. It holds the
  -- hash of the link's password: never shown as it is.
  state jsonb NOT NULL,
  PRIMARY KEY (link_id, version)
);

-- Columns that are added to `links` later are part of the state. Links that were written without a new version keep their row, as
-- they were last in that version.
CREATE OR REPLACE FUNCTION keep_link_versions(of_links uuid[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO link_versions AS kept (link_id, version, destination, created_at, state)
  SELECT id, version, url, updated_at, jsonb_strip_nulls(
    (to_jsonb(link) - '{id,workspace_id,domain_id,url,version,record,search,created_at,updated_at}'::text[])
    || jsonb_build_object('cap', (
      SELECT jsonb_build_object('mode', mode, 'max_clicks', max_clicks) FROM link_caps WHERE link_id = link.id)))
  FROM links AS link WHERE id = ANY(of_links)
  ORDER BY id
  ON CONFLICT (link_id, version) DO UPDATE SET destination = excluded.destination, state = excluded.state
  WHERE kept.destination <> excluded.destination OR kept.state <> excluded.state
$$;

-- For each statement and not for each link, because a file brings thousands.
CREATE OR REPLACE FUNCTION version_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM keep_link_versions(ARRAY(SELECT id FROM written));
  RETURN NULL;
END
$$;

-- A cap is written after its link, in the same transaction. Its uses are no edit.
CREATE OR REPLACE FUNCTION version_capped_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM keep_link_versions(ARRAY[CASE TG_OP WHEN 'DELETE' THEN OLD.link_id ELSE NEW.link_id END]);
  RETURN NULL;
END
$$;

-- What is there already, in today's version. The lock keeps writers out until the triggers are in place.
LOCK TABLE links, link_caps IN SHARE ROW EXCLUSIVE MODE;
SELECT keep_link_versions(ARRAY(SELECT id FROM links));

DROP TRIGGER IF EXISTS links_version ON links;
CREATE TRIGGER links_version AFTER INSERT ON links REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION version_links();
DROP TRIGGER IF EXISTS links_version_changed ON links;
CREATE TRIGGER links_version_changed AFTER UPDATE ON links REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION version_links();
DROP TRIGGER IF EXISTS link_caps_version ON link_caps;
CREATE TRIGGER link_caps_version AFTER INSERT OR DELETE OR UPDATE OF mode, max_clicks ON link_caps
  FOR EACH ROW EXECUTE FUNCTION version_capped_link();
