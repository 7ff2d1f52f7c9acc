-- What questions read of every click: its workspace, and the quarter of an hour it was in. They say the same as the columns of the
-- table's key, and the text and the instants in them are few, so that they are read several times faster (packages/analytics).
--
-- Parts of the table that are there already are read more slowly, and get the columns when they are merged.
ALTER TABLE clicks$local $on_cluster
  ADD COLUMN IF NOT EXISTS workspace LowCardinality(String) MATERIALIZED toString(workspace_id),
  ADD COLUMN IF NOT EXISTS quarter LowCardinality(DateTime('UTC')) MATERIALIZED toStartOfFifteenMinutes(clicked_at),
  MODIFY COLUMN clicked_at CODEC(T64, LZ4)
SETTINGS allow_suspicious_low_cardinality_types = 1;

-- [distributed]
ALTER TABLE clicks $on_cluster
  ADD COLUMN IF NOT EXISTS workspace LowCardinality(String) MATERIALIZED toString(workspace_id),
  ADD COLUMN IF NOT EXISTS quarter LowCardinality(DateTime('UTC')) MATERIALIZED toStartOfFifteenMinutes(clicked_at)
SETTINGS allow_suspicious_low_cardinality_types = 1;
