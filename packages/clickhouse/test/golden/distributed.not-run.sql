CREATE TABLE IF NOT EXISTS clicks_local ON CLUSTER 'main' (
  workspace_id LowCardinality(UUID),
  clicked_at DateTime64(3, 'UTC') CODEC(T64, LZ4),
  quarter DateTime('UTC') MATERIALIZED toStartOfFifteenMinutes(clicked_at),
  link_id LowCardinality(String),
  event_id UUID CODEC(ZSTD(1)),
  event_hash UInt32 CODEC(NONE),
  link_version UInt64 CODEC(ZSTD(1)),
  domain_id LowCardinality(String),
  rule_id LowCardinality(String),
  variant_id LowCardinality(String),
  destination LowCardinality(String),
  source LowCardinality(String),
  class LowCardinality(String) CODEC(NONE),
  visitor Int64 CODEC(NONE),
  referrer_host LowCardinality(String),
  language LowCardinality(String),
  browser LowCardinality(String) CODEC(NONE),
  os LowCardinality(String) CODEC(NONE),
  device LowCardinality(String) CODEC(NONE),
  country LowCardinality(String) CODEC(NONE),
  region LowCardinality(String),
  city LowCardinality(String),
  region_place LowCardinality(String) MATERIALIZED if(region = '', '', concat(country, '-', region)),
  city_place LowCardinality(String)
    MATERIALIZED if(city = '', '', concat(country, if(region = '', '', concat('-', region)), '/', city)),
  continent LowCardinality(String),
  colo LowCardinality(String),
  utm_source LowCardinality(String),
  utm_medium LowCardinality(String),
  utm_campaign LowCardinality(String),
  utm_term LowCardinality(String),
  utm_content LowCardinality(String),
  PROJECTION quarters (
    SELECT workspace_id, quarter, count(), sum(event_hash)
    GROUP BY workspace_id, quarter
  ),
  PROJECTION countries (
    SELECT workspace_id, quarter, class, country, count()
    GROUP BY workspace_id, quarter, class, country
  ),
  PROJECTION devices (
    SELECT workspace_id, quarter, class, browser, os, device, count()
    GROUP BY workspace_id, quarter, class, browser, os, device
  ),
  PROJECTION referrers (
    SELECT workspace_id, quarter, class, referrer_host, count()
    GROUP BY workspace_id, quarter, class, referrer_host
  )
)
ENGINE = ReplicatedReplacingMergeTree
PARTITION BY toYYYYMM(quarter)
ORDER BY (workspace_id, quarter, link_id, event_id)
SETTINGS
  deduplicate_merge_projection_mode = 'rebuild',
  lightweight_mutation_projection_mode = 'rebuild',
  allow_suspicious_low_cardinality_types = 1;

CREATE TABLE IF NOT EXISTS clicks ON CLUSTER 'main' AS clicks_local
ENGINE = Distributed('main', currentDatabase(), 'clicks_local', cityHash64(event_id))
SETTINGS allow_suspicious_low_cardinality_types = 1;
