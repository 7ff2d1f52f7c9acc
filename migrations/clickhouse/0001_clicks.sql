-- Clicks, copied from Postgres. Columns mean what they mean in migrations/0002_click_events.sql.
--
-- The key holds everything that identifies a click, so a row that was inserted twice becomes one row when its parts are
-- merged. Nothing relies on when that happens: a day is answered from here only while counts prove it (packages/clickhouse).
CREATE TABLE IF NOT EXISTS clicks$local $on_cluster (
  workspace_id UUID,
  clicked_at DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
  link_id UUID,
  event_id UUID CODEC(ZSTD(1)),
  link_version UInt32,
  domain_id Nullable(UUID),
  rule_id LowCardinality(Nullable(String)),
  variant_id LowCardinality(Nullable(String)),
  destination LowCardinality(Nullable(String)),
  source LowCardinality(String),
  class LowCardinality(String),
  quality Int16,
  classifier_version Int16,
  visitor Nullable(UUID),
  referrer_host LowCardinality(Nullable(String)),
  language LowCardinality(Nullable(String)),
  browser LowCardinality(Nullable(String)),
  os LowCardinality(Nullable(String)),
  device LowCardinality(Nullable(String)),
  country LowCardinality(Nullable(String)),
  region LowCardinality(Nullable(String)),
  city LowCardinality(Nullable(String)),
  continent LowCardinality(Nullable(String)),
  latitude Nullable(Float32),
  longitude Nullable(Float32),
  colo LowCardinality(Nullable(String)),
  asn Nullable(UInt32),
  utm_source LowCardinality(Nullable(String)),
  utm_medium LowCardinality(Nullable(String)),
  utm_campaign LowCardinality(Nullable(String)),
  utm_term LowCardinality(Nullable(String)),
  utm_content LowCardinality(Nullable(String)),
  -- Of each day: how many rows, and a fingerprint of which. Any row that is added, repeated or lost changes it, so a few
  -- rows tell whether a day is still what it was when it was compared with Postgres.
  PROJECTION days (
    SELECT workspace_id, toDate(toStartOfHour(clicked_at)), count(), sum(cityHash64(event_id))
    GROUP BY workspace_id, toDate(toStartOfHour(clicked_at))
  )
)
ENGINE = $replicatedReplacingMergeTree
PARTITION BY toYYYYMM(clicked_at)
ORDER BY (workspace_id, toStartOfHour(clicked_at), link_id, event_id)
SETTINGS
  -- Inserts that are repeated with the same token are dropped, for as many inserts as this.
  $deduplication_window = 10000,
  deduplicate_merge_projection_mode = 'rebuild',
  lightweight_mutation_projection_mode = 'rebuild';

-- [distributed]
-- By event: one large workspace is spread over all shards, and an event is always on the same one.
CREATE TABLE IF NOT EXISTS clicks $on_cluster AS clicks$local
ENGINE = Distributed('$cluster', currentDatabase(), 'clicks$local', cityHash64(event_id));
