-- One row a click. No foreign key to links: a click on a link that was deleted meanwhile still happened, and one
-- missing link must not cost a whole batch.

CREATE TABLE IF NOT EXISTS click_events (
  -- (isolate id, sequence number) as a UUID: a redelivered click collides with itself.
  event_id uuid NOT NULL,
  -- When the edge answered, not when the row was written.
  clicked_at timestamptz NOT NULL,
  link_id uuid NOT NULL,
  link_version bigint NOT NULL,
  source text NOT NULL,
  country text,
  region text,
  city text,
  continent text,
  colo text,
  asn bigint,
  -- The time column belongs to every unique index of a hypertable (TimescaleDB, TS103).
  PRIMARY KEY (clicked_at, event_id)
);
CREATE INDEX IF NOT EXISTS click_events_by_link ON click_events (link_id, clicked_at DESC);

-- With TimescaleDB, whichever edition, the table is a hypertable of one-day chunks; without it, an ordinary table
-- with the same name, columns and indexes. The three-argument form is the one every version since 2.10 knows.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'timescaledb') THEN
    BEGIN
      CREATE EXTENSION IF NOT EXISTS timescaledb;
    EXCEPTION WHEN OTHERS THEN
      -- Offered but not preloaded, or not ours to create: the ordinary table serves.
      RAISE NOTICE 'timescaledb is available but could not be created (%): click_events stays an ordinary table', SQLERRM;
    END;
  END IF;
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'timescaledb') THEN
    PERFORM create_hypertable('click_events', 'clicked_at',
      chunk_time_interval => INTERVAL '1 day', if_not_exists => TRUE, create_default_indexes => FALSE, migrate_data => TRUE);
  END IF;
END
$$;
