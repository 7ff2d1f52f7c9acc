-- The clicks of a link, all of them: what lists of links show, at the same cost after years as on the first day. Written by the
-- statement that writes the clicks.
CREATE TABLE IF NOT EXISTS link_totals (
  link_id uuid PRIMARY KEY,
  human bigint NOT NULL,
  total bigint NOT NULL,
  -- Of a link that was not clicked since this table is there: the beginning of its last quarter of an hour with clicks.
  last_clicked_at timestamptz NOT NULL
) WITH (fillfactor = 70); -- a hot link's row is rewritten with every batch: leave it room on its own page

-- What was clicked before is counted by the consumer, when no consumer of the release before writes any more. While this work
-- waits, the API adds up the rollups.
INSERT INTO work (kind, key)
SELECT 'link-totals', 'all' WHERE EXISTS (SELECT FROM click_rollups) AND NOT EXISTS (SELECT FROM link_totals)
ON CONFLICT (kind, key) DO NOTHING;
