-- What the live stream of clicks reads.

-- The transaction that wrote the row. Clicks become visible in the order of their commits, which is neither that of
-- clicked_at nor that of the ids of their transactions; but below pg_snapshot_xmin(pg_current_snapshot()) no transaction
-- is under way any more, so up to there nothing can be added. A reader that goes from one such horizon to the next
-- sees each row once. bigint, because BRIN knows no xid8. NULL: written before this column was there.
ALTER TABLE click_events ADD COLUMN IF NOT EXISTS inserted_xid bigint;
ALTER TABLE click_events ALTER COLUMN inserted_xid SET DEFAULT (pg_current_xact_id()::text::bigint);

-- Rows lie in the order in which they were written: a summary of each 32 pages finds the newest, and costs the insert
-- next to nothing. What is not summarised yet is the very end, and is always read.
CREATE INDEX IF NOT EXISTS click_events_by_insertion ON click_events
  USING brin (inserted_xid) WITH (pages_per_range = 32, autosummarize = on);

-- One row a stream that is open, so that a workspace has a bounded number of them. Losing it in a crash ends nothing but
-- that bound, for a minute.
CREATE UNLOGGED TABLE IF NOT EXISTS live_streams (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  -- A stream that was cut off without a word frees its place here.
  ends_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS live_streams_by_workspace ON live_streams (workspace_id);
