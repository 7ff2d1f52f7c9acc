-- As in 0030, but for columns that are worked out from others: nobody edits those.
CREATE OR REPLACE FUNCTION keep_link_versions(of_links uuid[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO link_versions AS kept (link_id, version, destination, created_at, state)
  SELECT id, version, url, updated_at, jsonb_strip_nulls(
    (to_jsonb(link) - ARRAY(
      SELECT unnest('{id,workspace_id,domain_id,url,version,record,search,created_at,updated_at}'::text[])
      UNION ALL SELECT attname FROM pg_attribute WHERE attrelid = 'links'::regclass AND attgenerated <> ''))
    || jsonb_build_object('cap', (
      SELECT jsonb_build_object('mode', mode, 'max_clicks', max_clicks) FROM link_caps WHERE link_id = link.id)))
  FROM links AS link WHERE id = ANY(of_links)
  ORDER BY id
  ON CONFLICT (link_id, version) DO UPDATE SET destination = excluded.destination, state = excluded.state
  WHERE kept.destination <> excluded.destination OR kept.state <> excluded.state
$$;
