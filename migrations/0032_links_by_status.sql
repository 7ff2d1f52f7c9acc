-- Lists by status. Few live links are scheduled or expired, or have used up their cap: a list of them alone must not read
-- through all the others.
CREATE INDEX IF NOT EXISTS links_by_schedule ON links (workspace_id, created_at DESC, id DESC)
  WHERE state = 'live' AND (starts_at IS NOT NULL OR expires_at IS NOT NULL);
CREATE INDEX IF NOT EXISTS link_caps_used_up ON link_caps (link_id) WHERE used >= max_clicks;
