-- One row a click. No foreign key to links: a click on a link that was deleted meanwhile still happened, and one
-- missing link must not cost a whole batch. NULL always means "not known". No address and no user agent: those end in
-- the consumer.

CREATE TABLE IF NOT EXISTS click_events (
  -- (isolate id, sequence number) as a UUID: a redelivered click collides with itself.
  event_id uuid NOT NULL,
  -- When the edge answered, not when the row was written.
  clicked_at timestamptz NOT NULL,
  link_id uuid NOT NULL,
  link_version bigint NOT NULL,
  -- Copied from the link when the click is written, so that analytics need no join. NULL where there is no such link
  -- any more: the click is counted all the same, and belongs to no workspace.
  workspace_id uuid,
  domain_id uuid,
  -- Which rule and which variant of a split led where. NULL: no rule matched, no split, the link's own destination.
  rule_id text,
  variant_id text,
  destination text,
  source text NOT NULL,
  -- human, bot, preview, prefetch, head or monitor; every click has one and none is dropped.
  class text NOT NULL,
  -- Reasons beside the class, one bit each in the order of the classifier's list (bit 0 is its first).
  quality smallint NOT NULL DEFAULT 0,
  classifier_version smallint NOT NULL,
  -- Keyed hash of (day, truncated address, user agent). NULL: unknown, or the visitor asked not to be tracked.
  visitor uuid,
  referrer_host text,
  language text,
  browser text,
  os text,
  device text,
  country text,
  region text,
  city text,
  continent text,
  -- Degrees, rounded to 0.1.
  latitude real,
  longitude real,
  colo text,
  asn bigint,
  utm_source text,
  utm_medium text,
  utm_campaign text,
  utm_term text,
  utm_content text,
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

-- The full edition also compresses what is older than a week. The Apache edition (Neon's) refuses both statements, so
-- it is not asked; and an edition that refuses after all keeps its rows as they are.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'timescaledb')
    AND current_setting('timescaledb.license', true) = 'timescale' THEN
    ALTER TABLE click_events SET (
      timescaledb.compress,
      timescaledb.compress_segmentby = 'link_id',
      timescaledb.compress_orderby = 'clicked_at DESC, event_id'
    );
    PERFORM add_compression_policy('click_events', INTERVAL '7 days', if_not_exists => TRUE);
  END IF;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'old clicks are not compressed here (%)', SQLERRM;
END
$$;
