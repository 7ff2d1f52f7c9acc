-- Questions about work that must not read all of it: with 600,000 items waiting, each of them took up to a second.

-- Whether a host has changes that are not published yet: before it is given to its next owner.
CREATE INDEX IF NOT EXISTS work_unpublished_by_host ON work (split_part(key, '/', 1))
  WHERE kind = 'publish' AND payload ->> 'isPublished' IS NULL;
-- How long the oldest item of each kind has waited, and what fails: for metrics and `pnpm doctor`.
CREATE INDEX IF NOT EXISTS work_by_wanted ON work (kind, wanted_at);
CREATE INDEX IF NOT EXISTS work_failing ON work (kind) WHERE last_error IS NOT NULL;
