-- Clicks are copied to ClickHouse by days (packages/clickhouse/src/copy/copy-day.ts), as work with the day for a key. Nothing has to be
-- remembered of a copy: what is missing is found by counting. So of 0026 only the seals stay, and which days have none.
DROP TABLE IF EXISTS clickhouse_copy;
DROP TABLE IF EXISTS clickhouse_day_copies;

-- With its index.
ALTER TABLE clickhouse_days DROP COLUMN IF EXISTS due_at;
ALTER TABLE clickhouse_days
  DROP COLUMN IF EXISTS attempts,
  DROP COLUMN IF EXISTS repairs,
  DROP COLUMN IF EXISTS counted_clicks,
  DROP COLUMN IF EXISTS found_clicks,
  DROP COLUMN IF EXISTS found_events;
CREATE INDEX IF NOT EXISTS clickhouse_days_to_copy ON clickhouse_days (day, workspace_id) WHERE sealed_clicks IS NULL;

-- The consumer compares all days when it runs next.
DELETE FROM work WHERE kind = 'clickhouse';
