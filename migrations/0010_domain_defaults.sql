-- A link that names no redirect status has its domain's, also when that changes later. The status itself stays in
-- `redirect_status` and in the record, so the edge need not know of it; links from before this have one of their own.

ALTER TABLE links ADD COLUMN IF NOT EXISTS follows_domain_status boolean NOT NULL DEFAULT false;

-- When a domain's default was changed, for as long as links that follow it may still have the one before.
ALTER TABLE domains ADD COLUMN IF NOT EXISTS status_changed_at timestamptz;

-- For the job that finds the links that are behind: it names the statuses that are not the domain's.
CREATE INDEX IF NOT EXISTS links_following_domain ON links (domain_id, redirect_status)
  WHERE follows_domain_status AND state <> 'deleted';
CREATE INDEX IF NOT EXISTS domains_with_links_behind ON domains (status_changed_at) WHERE status_changed_at IS NOT NULL;
