-- Few links are disabled or archived: a list of them alone must not read through all the others.
CREATE INDEX IF NOT EXISTS links_by_rare_state ON links (workspace_id, state, created_at DESC, id DESC)
  WHERE state IN ('disabled', 'archived');
