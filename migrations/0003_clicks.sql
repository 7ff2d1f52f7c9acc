-- Clicks, and what is counted with them: rollups, totals, the ledger, the cube, metrics.

-- Where single clicks are counted and asked: 'postgres', or 'clickhouse' (packages/clickhouse/README.md). `pnpm clickhouse` changes it.
CREATE TABLE counting_mode (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), mode text NOT NULL CHECK (mode IN ('postgres', 'clickhouse'))
);
INSERT INTO counting_mode (mode) VALUES ('postgres');

-- Every counting statement begins with it and waits for a change of the mode. A function: the consumer may not lock the row itself.
CREATE FUNCTION must_count_in(wanted text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF (SELECT mode FROM counting_mode FOR SHARE) <> wanted THEN
    RAISE EXCEPTION 'clicks are not counted in % now', wanted USING ERRCODE = 'HL001';
  END IF;
  RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION must_count_in(text) FROM PUBLIC; -- packages/db/roles.sql grants it to the consumer.

-- One row a click; in ClickHouse mode only of those that a webhook or a stream wants. No foreign key: a click on a link that is gone
-- has happened. NULL: not known. Addresses and user agents end in the consumer.
CREATE TABLE click_events (
  event_id uuid NOT NULL, -- (isolate id, sequence number) as a UUID: a redelivered click collides with itself.
  clicked_at timestamptz NOT NULL, -- When the edge answered, not when the row was written.
  link_id uuid NOT NULL, link_version bigint NOT NULL,
  workspace_id uuid, domain_id uuid, -- The link's as the click is written. NULL: there was none, and no workspace counts it.
  -- Which rule and which variant of a split led where. NULL: no rule matched, no split, the link's own destination.
  rule_id text, variant_id text, destination text, source text NOT NULL,
  class text NOT NULL, -- human, bot, preview, prefetch, head or monitor; every click has one and none is dropped.
  visitor uuid, -- Keyed hash of (day, truncated address, user agent). NULL: unknown, or the visitor asked not to be tracked.
  referrer_host text, language text, browser text, os text, device text, country text, region text, city text, continent text,
  colo text, utm_source text, utm_medium text, utm_campaign text, utm_term text, utm_content text,
  -- The writing transaction (bigint: BRIN knows no xid8). Clicks appear in the order of commits, which no column has; but nothing is
  -- under way below pg_snapshot_xmin: a reader that goes from one such horizon to the next sees each row once.
  inserted_xid bigint DEFAULT (pg_current_xact_id()::text::bigint),
  PRIMARY KEY (clicked_at, event_id) -- A hypertable wants its time column in every unique index (TimescaleDB, TS103).
);

CREATE INDEX click_events_of_workspace ON click_events (workspace_id, clicked_at); -- Ascending: descending pages stay half empty.
CREATE INDEX click_events_of_link ON click_events (link_id, clicked_at);
-- Rows lie in the order in which they were written: a summary of each 32 pages finds the newest, and costs inserts nearly nothing.
CREATE INDEX click_events_by_insertion ON click_events USING brin (inserted_xid) WITH (pages_per_range = 32, autosummarize = on);
ALTER TABLE click_events SET (autovacuum_vacuum_insert_scale_factor = 0.02); -- An index alone answers for pages vacuum has seen.

-- With TimescaleDB (2.10 or newer) a hypertable of one-day chunks; without, an ordinary table with the same columns and indexes. The
-- full edition compresses what is older than a week (docs/scaling.md). The Apache edition (Neon's) refuses, and keeps its rows.
DO $$
BEGIN
  BEGIN
    CREATE EXTENSION IF NOT EXISTS timescaledb;
  EXCEPTION WHEN OTHERS THEN -- Not there, not preloaded, or not ours to create.
    RAISE NOTICE 'click_events stays an ordinary table, without timescaledb (%)', SQLERRM;
    RETURN;
  END;
  PERFORM create_hypertable('click_events', 'clicked_at',
    chunk_time_interval => INTERVAL '1 day', if_not_exists => TRUE, create_default_indexes => FALSE, migrate_data => TRUE);
  BEGIN
    ALTER TABLE click_events SET (timescaledb.compress,
      timescaledb.compress_segmentby = 'workspace_id', timescaledb.compress_orderby = 'clicked_at DESC, event_id DESC');
    PERFORM add_compression_policy('click_events', INTERVAL '7 days', if_not_exists => TRUE);
  EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'old clicks are not compressed here (%)', SQLERRM;
  END;
END $$;

-- Retention drops chunks, which only the table's owner may, and the consumer with this. Without TimescaleDB it deletes rows.
CREATE FUNCTION drop_click_chunks(before timestamptz) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT count(*) FROM drop_chunks('click_events', older_than => before));
END $$;

-- Since when events are complete: written by retention before it removes any. No row: nothing was removed.
CREATE TABLE event_retention (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), kept_from timestamptz NOT NULL);

-- Clicks removed on request (packages/db/src/ledger/remove-clicks.ts) keep instant, class and id. A function, so that the consumer can
-- change nothing else: a compressed hypertable has no privileges on columns. Returns those that were not forgotten before.
CREATE FUNCTION forget_clicks(instants timestamptz[], events uuid[], of_link uuid)
  RETURNS TABLE (forgotten_at timestamptz, forgotten_event uuid) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  no_link CONSTANT uuid := '00000000-0000-0000-0000-000000000000'; first_at timestamptz; last_at timestamptz;
BEGIN
  SELECT min(instant), max(instant) INTO first_at, last_at FROM unnest(instants) AS instant;
  RETURN QUERY
    UPDATE click_events AS kept SET link_id = no_link, link_version = 1, workspace_id = NULL, domain_id = NULL, source = '',
      rule_id = NULL, variant_id = NULL, destination = NULL, visitor = NULL, referrer_host = NULL, language = NULL, browser = NULL,
      os = NULL, device = NULL, country = NULL, region = NULL, city = NULL, continent = NULL, colo = NULL,
      utm_source = NULL, utm_medium = NULL, utm_campaign = NULL, utm_term = NULL, utm_content = NULL
    FROM unnest(instants, events) AS wanted (instant, event)
    WHERE kept.clicked_at = wanted.instant AND kept.event_id = wanted.event
      AND kept.clicked_at >= first_at AND kept.clicked_at <= last_at
      AND kept.link_id <> no_link AND (of_link IS NULL OR kept.link_id = of_link)
    RETURNING kept.clicked_at, kept.event_id;
END $$;
REVOKE EXECUTE ON FUNCTION drop_click_chunks(timestamptz), forget_clicks(timestamptz[], uuid[], uuid) FROM PUBLIC; -- roles.sql

-- What follows is written by the statement that writes the clicks, so that no count can drift from them.
-- 15-minute UTC buckets: every time zone's days and hours are whole buckets, +05:45 too. Kept when events are not.
CREATE TABLE click_rollups (
  link_id uuid NOT NULL, bucket_start timestamptz NOT NULL, class text NOT NULL,
  workspace_id uuid, domain_id uuid, -- Of the link when the bucket was opened; NULL where there was no such link.
  clicks bigint NOT NULL CONSTRAINT click_rollups_at_least_zero CHECK (clicks >= 0),
  hashes bigint NOT NULL DEFAULT 0, -- Of those counted in ClickHouse: the sum of a hash of their ids, which it has as well.
  PRIMARY KEY (link_id, bucket_start, class)
) WITH (fillfactor = 70); -- a hot link's row is rewritten with every batch: leave it room on its own page
CREATE INDEX click_rollups_by_workspace ON click_rollups (workspace_id, bucket_start);

-- The same by workspace and domain: their charts must not add up a row for each link and bucket.
CREATE TABLE workspace_rollups (
  workspace_id uuid NOT NULL, bucket_start timestamptz NOT NULL, domain_id uuid NOT NULL, class text NOT NULL,
  clicks bigint NOT NULL CONSTRAINT workspace_rollups_at_least_zero CHECK (clicks >= 0),
  hashes bigint NOT NULL DEFAULT 0, PRIMARY KEY (workspace_id, bucket_start, domain_id, class)
) WITH (fillfactor = 70);
CREATE INDEX workspace_rollups_by_time ON workspace_rollups (bucket_start); -- Jobs look for days of all workspaces.

-- All clicks of a link, for lists. Every link has a row from its beginning, so that lists by clicks have those without clicks, too.
CREATE TABLE link_totals (
  link_id uuid PRIMARY KEY, human bigint NOT NULL DEFAULT 0, total bigint NOT NULL DEFAULT 0,
  last_clicked_at timestamptz NOT NULL DEFAULT '-infinity', workspace_id uuid,
  -- A copy for the lists' order, at most a tenth of the clicks or a minute behind: most batches leave it, and its indexes, alone.
  clicks_rank bigint DEFAULT 0, last_clicked_minute timestamptz DEFAULT '-infinity',
  CONSTRAINT link_totals_at_least_zero CHECK (human >= 0 AND total >= human)
) WITH (fillfactor = 40); -- every batch rewrites the rows of its links: leave them room on their own page
CREATE INDEX link_totals_by_rank ON link_totals (workspace_id, clicks_rank DESC, link_id DESC);
CREATE INDEX link_totals_by_minute ON link_totals (workspace_id, last_clicked_minute DESC, link_id DESC);

-- People who came through a former slug of a link (an alias), by day (UTC). All others came through its own. Gone with the link's row.
CREATE TABLE alias_clicks (
  link_id uuid NOT NULL, slug text NOT NULL, day date NOT NULL, clicks bigint NOT NULL, last_clicked_at timestamptz NOT NULL,
  PRIMARY KEY (link_id, slug, day)
);
-- As a slug becomes an alias: of the last 30 days, what no other alias has came through it.
CREATE FUNCTION keep_alias_clicks() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN DELETE FROM alias_clicks WHERE link_id = OLD.id;
  ELSIF NEW.slug <> OLD.slug THEN
    INSERT INTO alias_clicks AS kept (link_id, slug, day, clicks, last_clicked_at)
    SELECT OLD.id, OLD.slug, counted.day, counted.clicks - coalesce(others, 0), counted.last_at FROM (
      SELECT (bucket_start AT TIME ZONE 'UTC')::date AS day, sum(clicks) AS clicks, max(bucket_start) AS last_at FROM click_rollups
      WHERE link_id = OLD.id AND class = 'human' AND bucket_start > now() - interval '31 days' GROUP BY 1) AS counted
    LEFT JOIN (SELECT day, sum(clicks) AS others FROM alias_clicks WHERE link_id = OLD.id AND slug <> OLD.slug GROUP BY 1) AS other
      ON other.day = counted.day
    WHERE counted.clicks > coalesce(others, 0) ORDER BY 3 ON CONFLICT (link_id, slug, day) DO UPDATE SET
      clicks = excluded.clicks, last_clicked_at = greatest(kept.last_clicked_at, excluded.last_clicked_at);
  END IF; RETURN NULL;
END $$;
CREATE TRIGGER links_alias_clicks AFTER DELETE OR UPDATE OF slug ON links FOR EACH ROW EXECUTE FUNCTION keep_alias_clicks();

CREATE FUNCTION move_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.clicks_rank := NEW.human; NEW.last_clicked_minute := NEW.last_clicked_at;
  RETURN NEW;
END $$;
-- Not for INSERT: rows of links begin without clicks, and one for which there is no link is in no list.
CREATE TRIGGER link_totals_moved BEFORE UPDATE ON link_totals FOR EACH ROW
  WHEN (NEW.human NOT BETWEEN NEW.clicks_rank AND NEW.clicks_rank * 11 / 10
    OR NEW.last_clicked_at NOT BETWEEN NEW.last_clicked_minute AND NEW.last_clicked_minute + interval '1 minute')
  EXECUTE FUNCTION move_link();

-- The API changes no count, so the owner of the tables adds the row.
CREATE FUNCTION count_new_links() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO link_totals (link_id, workspace_id)
  SELECT id, workspace_id FROM new_links ORDER BY id
  ON CONFLICT (link_id) DO UPDATE SET workspace_id = excluded.workspace_id;
  RETURN NULL;
END $$;
CREATE TRIGGER links_counted AFTER INSERT ON links REFERENCING NEW TABLE AS new_links FOR EACH STATEMENT EXECUTE FUNCTION count_new_links();

-- One row a segment (the clicks of one flush). An isolate numbers its clicks from 1: what is missing between rows has not arrived, nor
-- what exceeds inserted + rejected. Whole segments without a gap become one row, a run (packages/db/src/ledger/compact-ledger.ts).
CREATE TABLE segment_ledger (
  isolate_id text NOT NULL, -- 16 hexadecimal digits.
  first_sequence bigint NOT NULL, click_count integer NOT NULL,
  inserted integer NOT NULL DEFAULT 0, -- Clicks that are in click_events because of this segment.
  duplicates bigint NOT NULL DEFAULT 0, -- Clicks that arrived again after they had been settled, over all deliveries.
  rejected integer NOT NULL DEFAULT 0, -- Clicks the database refused; each has a dead letter. Falls again when they are replayed.
  deliveries integer NOT NULL DEFAULT 0, -- Messages with this segment that reached the database, wholly or in part.
  -- From the segment's last click to its first delivery that was settled, by the clocks of edge and consumer.
  queue_delay_ms bigint NOT NULL, first_clicked_at timestamptz NOT NULL, last_clicked_at timestamptz NOT NULL,
  first_settled_at timestamptz NOT NULL DEFAULT now(), last_settled_at timestamptz NOT NULL DEFAULT now(),
  -- Clicks missing before the row at the last compaction; NULL: it came or changed since. Whole rows with it are in ledger_sums.
  gap bigint, PRIMARY KEY (isolate_id, first_sequence),
  CONSTRAINT segment_ledger_at_least_zero CHECK (LEAST(inserted, rejected, duplicates) >= 0 AND inserted + rejected <= click_count)
) WITH (fillfactor = 90);
-- What is not in the sums (IS_OPEN in packages/db/src/ledger/ledger-accounts.ts), gaps that are new, and what is too old.
CREATE INDEX segment_ledger_open ON segment_ledger (first_clicked_at) WHERE gap IS NULL OR inserted < click_count OR click_count = 0;
CREATE INDEX segment_ledger_gaps ON segment_ledger (first_settled_at) WHERE gap > 0;
CREATE INDEX segment_ledger_by_end ON segment_ledger (last_clicked_at) WHERE gap IS NOT NULL;

-- By the quarter of an hour of a segment's first click; a row of the ledger is of one quarter until it is a run. Kept for ever.
CREATE TABLE ledger_sums (
  bucket_start timestamptz PRIMARY KEY,
  segments bigint NOT NULL DEFAULT 0, delivered bigint NOT NULL DEFAULT 0, inserted bigint NOT NULL DEFAULT 0,
  duplicates bigint NOT NULL DEFAULT 0, rejected bigint NOT NULL DEFAULT 0,
  gaps bigint NOT NULL DEFAULT 0, -- Before runs, as they were when their isolates were compacted: of each its `gap`.
  -- Not the gaps: a compaction offers a change, and Postgres checks what is offered before it finds the row that is there.
  CONSTRAINT ledger_sums_at_least_zero CHECK (LEAST(segments, duplicates, rejected) >= 0 AND inserted BETWEEN 0 AND delivered)
) WITH (fillfactor = 50);

-- Whether a row that came meanwhile, and was compacted, covers a segment about to be counted: a function's snapshot is newer.
CREATE FUNCTION check_counted_once(isolates text[], firsts bigint[]) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF EXISTS (
    SELECT FROM unnest(isolates, firsts) AS counted (isolate, first) CROSS JOIN LATERAL (
      SELECT * FROM segment_ledger WHERE (isolate_id, first_sequence) < (isolate, first) AND click_count > 0
      ORDER BY isolate_id DESC, first_sequence DESC LIMIT 1
    ) AS kept WHERE isolate_id = isolate AND first_sequence + click_count > first
  ) THEN
    RAISE EXCEPTION 'a segment was counted meanwhile' USING ERRCODE = '40001';
  END IF;
  RETURN true;
END $$;

CREATE TABLE dead_letters (
  id uuid PRIMARY KEY, -- SHA-256 of the unsealed body, shortened: what is delivered again lands on its own row.
  kind text NOT NULL, -- click_refused: a click that the database will not take. message_undecodable: a message that is no segment.
  reason text NOT NULL, -- SQLSTATE, or the name of the field that could not be read; never a value.
  source text NOT NULL, -- Where it was met: a queue's name, spill, import.
  body text NOT NULL, -- Sealed with SEAL_KEY: the body holds an address and a user agent.
  isolate_id text, first_sequence bigint, click_count integer,
  segment_first_sequence bigint, -- The ledger's row a refused click belongs to: the segment it arrived in.
  segment_click_count integer, created_at timestamptz NOT NULL DEFAULT now(), replayed_at timestamptz
);
CREATE INDEX dead_letters_open ON dead_letters (created_at) WHERE replayed_at IS NULL;

-- A cube of UTC days (packages/analytics/README.md). A cell has one day's clicks of a class, a domain and a value of a scope, and for
-- every other dimension its values and their clicks. Values NULL: all unknown. Numbers NULL: one value has all clicks.
CREATE TABLE click_cube (
  -- Scope: empty (the workspace), 'quarter' (of an hour, from the day's beginning), or a column of click_events, with its value.
  workspace_id uuid NOT NULL, scope text NOT NULL, scope_value text NOT NULL, day timestamptz NOT NULL,
  -- A day may be made in several parts, whose clicks are added up (packages/analytics/src/cube/plan-day.ts). -2: the workspace's, of all
  -- parts of a running day.
  slice integer NOT NULL, class text NOT NULL, domain_id uuid NOT NULL, clicks bigint NOT NULL,
  quarter smallint[], quarter_clicks integer[], link_id uuid[], link_id_clicks integer[], rule_id text[], rule_id_clicks integer[],
  variant_id text[], variant_id_clicks integer[], destination text[], destination_clicks integer[], source text[], source_clicks integer[],
  referrer_host text[], referrer_host_clicks integer[], country text[], country_clicks integer[], region text[], region_clicks integer[],
  city text[], city_clicks integer[], continent text[], continent_clicks integer[], browser text[], browser_clicks integer[],
  os text[], os_clicks integer[], device text[], device_clicks integer[], language text[], language_clicks integer[],
  colo text[], colo_clicks integer[], utm_source text[], utm_source_clicks integer[], utm_medium text[], utm_medium_clicks integer[],
  utm_campaign text[], utm_campaign_clicks integer[], utm_term text[], utm_term_clicks integer[],
  utm_content text[], utm_content_clicks integer[], PRIMARY KEY (workspace_id, scope, scope_value, day, slice, class, domain_id)
) WITH (toast_tuple_target = 8160); -- a question reads two of the arrays: fetching each from elsewhere costs more than wide rows
CREATE INDEX click_cube_by_day ON click_cube (workspace_id, day, slice);

-- A day is read from the cube while its slices, and the clicks that came since, are as many as in workspace_rollups.
CREATE TABLE cube_days (
  workspace_id uuid NOT NULL, day timestamptz NOT NULL,
  slice integer NOT NULL, -- Modulo 96: its first quarter of an hour.
  until_xid bigint NOT NULL, -- The slice has the clicks that were inserted by transactions before this one.
  clicks bigint NOT NULL, quarter_clicks integer[] NOT NULL, -- By quarter of an hour, from the slice's first one on.
  PRIMARY KEY (workspace_id, day, slice)
);

-- Unique visitors by UTC day (their hash's key changes daily), by the quarter of an hour in which they came first, and last.
CREATE TABLE cube_visitors (
  workspace_id uuid NOT NULL,
  scope text NOT NULL, -- Empty (the workspace), 'country' or 'link_id'.
  scope_value text NOT NULL, of_humans boolean NOT NULL, day timestamptz NOT NULL,
  slice integer NOT NULL, -- A running day has several parts, whose numbers are added up.
  day_clicks bigint NOT NULL, -- The workspace's clicks that this part is of.
  first_quarters smallint[] NOT NULL, first_visitors integer[] NOT NULL, last_quarters smallint[] NOT NULL,
  last_visitors integer[] NOT NULL, PRIMARY KEY (workspace_id, scope, scope_value, of_humans, day, slice)
);
CREATE INDEX cube_visitors_by_day ON cube_visitors (workspace_id, day, scope); -- Few of a day's rows are the workspace's.

-- Visitors of a running day, by the quarters in which each came first and last to a link from a country. Removed when it is counted.
CREATE TABLE cube_visits (
  workspace_id uuid NOT NULL, day timestamptz NOT NULL, visitor uuid NOT NULL, link_id uuid NOT NULL, country text COLLATE "C" NOT NULL,
  first smallint NOT NULL, last smallint NOT NULL, first_human smallint, last_human smallint,
  PRIMARY KEY (workspace_id, day, visitor, link_id, country)
);

-- Clicks in ClickHouse that were deleted on request, and may still be there: those before `until`, which the rollups have lost.
CREATE TABLE clickhouse_removals (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), workspace_id uuid NOT NULL,
  link_id uuid, domain_id uuid, -- Of a link, of a domain, or all.
  until timestamptz NOT NULL, CONSTRAINT clickhouse_removals_once UNIQUE NULLS NOT DISTINCT (workspace_id, link_id, domain_id)
);

-- Where versions of destroyed links led, for clicks that do not say so; until these are removed.
CREATE TABLE removed_destinations (link_id uuid, version bigint, destination text NOT NULL, PRIMARY KEY (link_id, version));

-- Counters behind /api/metrics. First, which of the edge's reports are in them, so that each counts once. Goes with the ledger.
CREATE TABLE edge_reports (
  isolate_id text NOT NULL, number bigint NOT NULL, received_at timestamptz NOT NULL DEFAULT now(),
  colo text NOT NULL DEFAULT '', -- Empty: not known.
  entries bigint, -- What the isolate held then: entries and bytes of its cache, and clicks that no queue had accepted.
  bytes bigint, buffered bigint, PRIMARY KEY (isolate_id, number)
);
CREATE INDEX edge_reports_by_age ON edge_reports (received_at);

CREATE TABLE edge_answers (
  colo text NOT NULL, -- Empty: not known.
  cache_tier text NOT NULL, outcome text NOT NULL,
  bucket smallint NOT NULL, -- Index of the bucket of durations (packages/core/src/click/edge-report.ts).
  answers bigint NOT NULL, total_ms bigint NOT NULL, PRIMARY KEY (colo, cache_tier, outcome, bucket)
) WITH (fillfactor = 50); -- a few rows that are rewritten all the time

-- How old the edge's knowledge of the change feed was, once a report; in the same buckets.
CREATE TABLE edge_feed_ages (
  colo text NOT NULL, bucket smallint NOT NULL, reports bigint NOT NULL, total_ms bigint NOT NULL, PRIMARY KEY (colo, bucket)
) WITH (fillfactor = 50);

-- What the statement that writes clicks counts of its own work, in a shard at random, so that writers hardly ever wait for each other.
CREATE TABLE ingest_counters (
  -- The label of edge_… is the data centre, that of clicks the class, that of queue_delay the bucket's index, that of queue its name; else none.
  metric text NOT NULL, label text NOT NULL, shard smallint NOT NULL, total bigint NOT NULL,
  counted_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (metric, label, shard)
) WITH (fillfactor = 50);

-- Visits for which a domain had no link, by day (UTC) of their report. Kept for RETENTION_DAYS, or 90. Nothing of the visitor.
CREATE TABLE missed_visits (
  domain_id uuid NOT NULL REFERENCES domains (id) ON DELETE CASCADE, day date NOT NULL,
  slug text COLLATE "C" NOT NULL, -- Or a sum, of which slugs are a part: /root, /ended, /unknown.
  visits bigint NOT NULL, last_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (domain_id, day, slug)
);
CREATE INDEX missed_visits_by_day ON missed_visits (day);
-- Leaves a domain the day's hundred slugs with most visits. All writers of its slugs wait for its /unknown: a function sees what they did.
CREATE FUNCTION keep_most_missed(of_domains uuid[], of_day date) RETURNS void LANGUAGE sql AS $$
  DELETE FROM missed_visits WHERE day = of_day AND (domain_id, slug) IN (SELECT domain_id, slug FROM (
      SELECT domain_id, slug, row_number() OVER (PARTITION BY domain_id ORDER BY visits DESC, last_at DESC, slug) AS place
      FROM missed_visits WHERE domain_id = ANY (of_domains) AND day = of_day AND slug NOT LIKE '/%') AS asked WHERE place > 100)
$$;

CREATE FUNCTION this_month() RETURNS date LANGUAGE sql STABLE AS $$ SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date $$;

CREATE FUNCTION clicks_this_month(of_workspace uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(clicks), 0)::bigint FROM workspace_rollups
  WHERE workspace_id = of_workspace AND bucket_start >= this_month()::timestamp AT TIME ZONE 'UTC'
$$;

-- Whether an owner of the workspace has used up their requests of this month.
CREATE FUNCTION owner_requests_used_up(of_workspace uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM members AS owner JOIN person_limits AS limits USING (person_id)
    WHERE owner.workspace_id = of_workspace AND owner.role = 'owner' AND limits.requests <= (
      SELECT coalesce(sum(coalesce(month.requests, 0) + coalesce(minute.requests, 0)), 0)
      FROM members AS owned
      LEFT JOIN workspace_requests AS month ON month.workspace_id = owned.workspace_id AND month.month = this_month()
      LEFT JOIN request_counts AS minute ON minute.subject = 'ws:' || owned.workspace_id
      WHERE owned.person_id = owner.person_id AND owned.role = 'owner'))
$$;

-- How many links may still be created in the workspace, by its own limits and by those of its owners; NULL: as many as it likes.
CREATE FUNCTION links_left(of_workspace uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT least(
    (SELECT CASE
      WHEN limits.clicks IS NOT NULL AND clicks_this_month(of_workspace) >= limits.clicks THEN 0
      WHEN limits.links IS NOT NULL THEN greatest(0, limits.links - (
        SELECT count(*) FROM links WHERE workspace_id = of_workspace AND state <> 'deleted')) END
    FROM workspace_limits AS limits WHERE limits.workspace_id = of_workspace),
    (SELECT min(CASE
      WHEN limits.clicks IS NOT NULL AND (
        SELECT sum(clicks_this_month(owned.workspace_id)) FROM members AS owned
        WHERE owned.person_id = owner.person_id AND owned.role = 'owner') >= limits.clicks THEN 0
      WHEN limits.links IS NOT NULL THEN greatest(0, limits.links - (
        SELECT count(*) FROM members AS owned JOIN links USING (workspace_id)
        WHERE owned.person_id = owner.person_id AND owned.role = 'owner' AND state <> 'deleted')) END)
    FROM members AS owner JOIN person_limits AS limits USING (person_id)
    WHERE owner.workspace_id = of_workspace AND owner.role = 'owner'))
$$;
