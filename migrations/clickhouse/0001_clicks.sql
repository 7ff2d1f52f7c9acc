-- Clicks, where they are counted in ClickHouse. Columns mean what they mean in migrations/0003_clicks.sql, but for unknown text, which is
-- empty here, and for `visitor`. What no question reads is not here.
--
-- The key holds everything that identifies a click, so a row that was inserted twice becomes one row when its parts are
-- merged. Nothing relies on when that happens: counts beside each answer prove it (packages/clickhouse).
--
-- Questions read most rows of few columns. So what they read is narrow: dictionaries in place of text and of ids, nothing Nullable.
-- Ids are texts there: ClickHouse groups by the numbers of a dictionary's texts, but not of its UUIDs.
-- What most questions filter by is a byte of no order, and not compressed: that would save half of the byte for a third of the time.
CREATE TABLE IF NOT EXISTS clicks$local $on_cluster (
  workspace_id LowCardinality(UUID),
  clicked_at DateTime64(3, 'UTC') CODEC(T64, LZ4),
  -- The quarter of an hour, in runs: the key, and what ranges and buckets are made of.
  quarter DateTime('UTC') MATERIALIZED toStartOfFifteenMinutes(clicked_at),
  link_id LowCardinality(String),
  event_id UUID CODEC(ZSTD(1)),
  -- 32 bits of a hash, as the rollups in Postgres add them up; 0 where the click was counted in Postgres. Random, so not compressed.
  event_hash UInt32 CODEC(NONE),
  link_version UInt64 CODEC(ZSTD(1)),
  domain_id LowCardinality(String),
  rule_id LowCardinality(String),
  variant_id LowCardinality(String),
  destination LowCardinality(String),
  source LowCardinality(String),
  class LowCardinality(String) CODEC(NONE),
  -- The halves of the visitor, combined to 64 bits; 0: none. Random, so not compressed.
  visitor Int64 CODEC(NONE),
  referrer_host LowCardinality(String),
  language LowCardinality(String),
  browser LowCardinality(String) CODEC(NONE),
  os LowCardinality(String) CODEC(NONE),
  device LowCardinality(String) CODEC(NONE),
  country LowCardinality(String) CODEC(NONE),
  region LowCardinality(String),
  city LowCardinality(String),
  -- Places as analytics tell them apart: `CH-ZH`, `CH-ZH/Zürich` (packages/analytics/src/dimension.ts).
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
  -- Of each quarter of an hour: how many rows, and which. Any row that is added, repeated or lost changes it, so a few rows tell
  -- whether it is what Postgres counted.
  PROJECTION quarters (
    SELECT workspace_id, quarter, count(), sum(event_hash)
    GROUP BY workspace_id, quarter
  ),
  -- What lists count (COUNTED in packages/analytics/src/clickhouse/statements.ts): of the rows of a part, repeated ones too. Not of links:
  -- most have so few clicks in a quarter of an hour that reading those takes as long.
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
ENGINE = $replicatedReplacingMergeTree
PARTITION BY toYYYYMM(quarter)
ORDER BY (workspace_id, quarter, link_id, event_id)
SETTINGS
  deduplicate_merge_projection_mode = 'rebuild',
  lightweight_mutation_projection_mode = 'rebuild',
  allow_suspicious_low_cardinality_types = 1;

-- [distributed]
-- By event: one large workspace is spread over all shards, and an event is always on the same one.
CREATE TABLE IF NOT EXISTS clicks $on_cluster AS clicks$local
ENGINE = Distributed('$cluster', currentDatabase(), 'clicks$local', cityHash64(event_id))
SETTINGS allow_suspicious_low_cardinality_types = 1;
