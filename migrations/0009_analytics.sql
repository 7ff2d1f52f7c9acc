-- What analytics read besides the rollups by link.

-- A workspace's single clicks, newest first.
CREATE INDEX IF NOT EXISTS click_events_by_workspace ON click_events (workspace_id, clicked_at DESC, event_id DESC);

-- Whole workspaces and domains, in the 15-minute UTC buckets of click_rollups: their charts must not add up a row for
-- each link and bucket. Clicks that belong to no workspace are in none.
CREATE TABLE IF NOT EXISTS workspace_rollups (
  workspace_id uuid NOT NULL,
  bucket_start timestamptz NOT NULL,
  domain_id uuid NOT NULL,
  class text NOT NULL,
  clicks bigint NOT NULL,
  PRIMARY KEY (workspace_id, bucket_start, domain_id, class)
) WITH (fillfactor = 70);

-- What was clicked before the table was there. The migration is one transaction, and the locks keep clicks out until it
-- is done: a click is in it once.
LOCK TABLE click_rollups, workspace_rollups IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO workspace_rollups (workspace_id, bucket_start, domain_id, class, clicks)
SELECT workspace_id, date_bin('15 minutes', clicked_at, 'epoch'), domain_id, class, count(*)
FROM click_events
WHERE workspace_id IS NOT NULL AND NOT EXISTS (SELECT FROM workspace_rollups)
GROUP BY 1, 2, 3, 4;
