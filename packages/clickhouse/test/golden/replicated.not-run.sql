CREATE TABLE IF NOT EXISTS clicks ON CLUSTER 'main' (
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
  PROJECTION days (
    SELECT workspace_id, toDate(toStartOfHour(clicked_at)), count(), sum(cityHash64(event_id))
    GROUP BY workspace_id, toDate(toStartOfHour(clicked_at))
  )
)
ENGINE = ReplicatedReplacingMergeTree
PARTITION BY toYYYYMM(clicked_at)
ORDER BY (workspace_id, toStartOfHour(clicked_at), link_id, event_id)
SETTINGS
  replicated_deduplication_window = 10000,
  deduplicate_merge_projection_mode = 'rebuild',
  lightweight_mutation_projection_mode = 'rebuild';

ALTER TABLE clicks ON CLUSTER 'main'
  ADD COLUMN IF NOT EXISTS workspace LowCardinality(String) MATERIALIZED toString(workspace_id),
  ADD COLUMN IF NOT EXISTS quarter LowCardinality(DateTime('UTC')) MATERIALIZED toStartOfFifteenMinutes(clicked_at),
  MODIFY COLUMN clicked_at CODEC(T64, LZ4)
SETTINGS allow_suspicious_low_cardinality_types = 1;
