-- Segments that are wholly inserted become one row for as long as their isolate's numbers have no gap
-- (packages/db/src/ledger/compact-ledger.ts): the ledger has about as many rows as isolates and gaps.

-- Clicks missing right before the row, when its isolate was last compacted. NULL: the row has come, or changed, since. A row that has
-- it and is wholly inserted is a run of segments, and its clicks are in ledger_sums.
ALTER TABLE segment_ledger ADD COLUMN IF NOT EXISTS gap bigint;

-- By the quarter of an hour of a segment's first click; a row of the ledger is of one quarter until it is a run. Kept for ever.
CREATE TABLE IF NOT EXISTS ledger_sums (
  bucket_start timestamptz PRIMARY KEY,
  segments bigint NOT NULL DEFAULT 0,
  delivered bigint NOT NULL DEFAULT 0,
  inserted bigint NOT NULL DEFAULT 0,
  duplicates bigint NOT NULL DEFAULT 0,
  rejected bigint NOT NULL DEFAULT 0,
  dead_lettered bigint NOT NULL DEFAULT 0,
  -- Before runs, as they were when their isolates were compacted: of each its `gap`.
  gaps bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- What is not in the sums (IS_OPEN in packages/db/src/ledger/ledger-accounts.ts), gaps that are new, and what is too old.
CREATE INDEX IF NOT EXISTS segment_ledger_open ON segment_ledger (first_clicked_at)
  WHERE gap IS NULL OR inserted < click_count OR click_count = 0;
CREATE INDEX IF NOT EXISTS segment_ledger_gaps ON segment_ledger (first_settled_at) WHERE gap > 0;
CREATE INDEX IF NOT EXISTS segment_ledger_by_end ON segment_ledger (last_clicked_at) WHERE gap IS NOT NULL;
DROP INDEX IF EXISTS segment_ledger_by_click;

-- The ledger outlives the clicks: what was removed of it was removed before this.
ALTER TABLE event_retention ADD COLUMN IF NOT EXISTS ledger_from timestamptz;
UPDATE event_retention SET ledger_from = kept_from WHERE ledger_from IS NULL;

-- What is there is compacted without waiting for a click.
INSERT INTO work (kind, key) SELECT 'ledger', 'all' WHERE EXISTS (SELECT FROM segment_ledger) ON CONFLICT DO NOTHING;
