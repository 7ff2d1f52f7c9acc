-- What analytics read besides the rollups: a workspace's single clicks, newest first.
CREATE INDEX IF NOT EXISTS click_events_by_workspace ON click_events (workspace_id, clicked_at DESC, event_id DESC);
