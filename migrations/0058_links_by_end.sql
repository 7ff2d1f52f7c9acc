-- The next link that expires: jobs ask for it, so that they can rest until then, and find those that have expired by it.
CREATE INDEX IF NOT EXISTS links_by_end ON links (expires_at) WHERE state = 'live' AND expires_at IS NOT NULL;
