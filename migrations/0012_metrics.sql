-- Counters behind /api/metrics: cumulative since the first click, never reset, and so no matter which process is asked.

-- Which reports of the edge are in the counters below. With the report's number as its key, one that is delivered twice
-- counts once. Goes with the ledger (RETENTION_DAYS).
CREATE TABLE IF NOT EXISTS edge_reports (
  isolate_id text NOT NULL,
  number bigint NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (isolate_id, number)
);
CREATE INDEX IF NOT EXISTS edge_reports_by_age ON edge_reports (received_at);

-- Answers of the edge. A row for each combination that occurred: bounded by data centres, tiers, outcomes and buckets.
CREATE TABLE IF NOT EXISTS edge_answers (
  -- Empty: not known.
  colo text NOT NULL,
  cache_tier text NOT NULL,
  outcome text NOT NULL,
  -- Index of the bucket of durations (packages/core/src/edge-report.ts).
  bucket smallint NOT NULL,
  answers bigint NOT NULL,
  total_ms bigint NOT NULL,
  PRIMARY KEY (colo, cache_tier, outcome, bucket)
) WITH (fillfactor = 50); -- a few rows that are rewritten all the time

-- How old the edge's knowledge of the change feed was, once a report; in the same buckets.
CREATE TABLE IF NOT EXISTS edge_feed_ages (
  colo text NOT NULL,
  bucket smallint NOT NULL,
  reports bigint NOT NULL,
  total_ms bigint NOT NULL,
  PRIMARY KEY (colo, bucket)
) WITH (fillfactor = 50);

-- What the statement that writes clicks counts of its own work. Each statement takes one shard at random, so that
-- writers hardly ever wait for each other; a counter is the sum of its shards.
CREATE TABLE IF NOT EXISTS ingest_counters (
  -- clicks (label: class), duplicates, retries, queue_delay (label: index of the bucket), queue_delay_ms.
  metric text NOT NULL,
  label text NOT NULL,
  shard smallint NOT NULL,
  total bigint NOT NULL,
  counted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (metric, label, shard)
) WITH (fillfactor = 50);

-- What was written before: counted once, while the lock keeps clicks out.
LOCK TABLE click_rollups, ingest_counters IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO ingest_counters (metric, label, shard, total)
SELECT 'clicks', class, 0, sum(clicks) FROM click_rollups
WHERE NOT EXISTS (SELECT FROM ingest_counters WHERE metric = 'clicks')
GROUP BY class;
