-- A day has a cell of the links without a tag, too (packages/analytics/README.md): days that were made before get theirs.
INSERT INTO work (kind, key)
SELECT DISTINCT 'tags', workspace_id::text FROM links WHERE tags <> '{}'
ON CONFLICT (kind, key) DO NOTHING;
