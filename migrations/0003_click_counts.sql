-- What is written in the same statement as the clicks themselves, so that no count can drift from them: rollups and
-- the ledger; and the place for what could not be written.

-- 15-minute UTC buckets: every time zone's days and hours are whole buckets, +05:45 too. Kept when events are not.
CREATE TABLE IF NOT EXISTS click_rollups (
  link_id uuid NOT NULL,
  bucket_start timestamptz NOT NULL,
  class text NOT NULL,
  -- Of the link when the bucket was opened; NULL where there was no such link.
  workspace_id uuid,
  domain_id uuid,
  clicks bigint NOT NULL,
  PRIMARY KEY (link_id, bucket_start, class)
) WITH (fillfactor = 70); -- a hot link's row is rewritten with every batch: leave it room on its own page
CREATE INDEX IF NOT EXISTS click_rollups_by_workspace ON click_rollups (workspace_id, bucket_start);

-- One row a segment (the clicks of one flush at the edge). An isolate numbers its clicks from 1 without gaps, so what is
-- missing between two rows of an isolate was accepted at the edge and has not arrived.
-- Always: inserted + rejected + dead_lettered <= click_count; the rest is on its way.
CREATE TABLE IF NOT EXISTS segment_ledger (
  -- 16 hexadecimal digits.
  isolate_id text NOT NULL,
  first_sequence bigint NOT NULL,
  click_count integer NOT NULL,
  -- Clicks that are in click_events because of this segment.
  inserted integer NOT NULL DEFAULT 0,
  -- Clicks that arrived again after they had been settled, over all deliveries.
  duplicates bigint NOT NULL DEFAULT 0,
  -- Clicks the database refused; each has a dead letter. Falls again when they are replayed.
  rejected integer NOT NULL DEFAULT 0,
  -- Clicks of a segment that ran out of tries; the segment has a dead letter. Falls again when it is replayed.
  dead_lettered integer NOT NULL DEFAULT 0,
  -- Messages with this segment that reached the database, wholly or in part.
  deliveries integer NOT NULL DEFAULT 0,
  -- From the segment's last click to its first delivery that was settled, by the clocks of edge and consumer.
  queue_delay_ms bigint NOT NULL,
  first_clicked_at timestamptz NOT NULL,
  last_clicked_at timestamptz NOT NULL,
  first_settled_at timestamptz NOT NULL DEFAULT now(),
  last_settled_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (isolate_id, first_sequence)
) WITH (fillfactor = 90);
CREATE INDEX IF NOT EXISTS segment_ledger_by_click ON segment_ledger (first_clicked_at);

CREATE TABLE IF NOT EXISTS dead_letters (
  -- SHA-256 of the unsealed body, shortened: what is delivered again lands on its own row.
  id uuid PRIMARY KEY,
  -- click_refused: one click whose values the database will not take. segment_exhausted: a segment that ran out of
  -- tries. message_undecodable: a message that is no segment.
  kind text NOT NULL,
  -- SQLSTATE, or the name of the field that could not be read; never a value.
  reason text NOT NULL,
  -- Where it was met: a queue's name, spill, import.
  source text NOT NULL,
  -- Sealed with SEAL_KEY: the body holds an address and a user agent.
  body text NOT NULL,
  isolate_id text,
  first_sequence bigint,
  click_count integer,
  -- The ledger's row a refused click belongs to: the segment it arrived in.
  segment_first_sequence bigint,
  segment_click_count integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  replayed_at timestamptz
);
CREATE INDEX IF NOT EXISTS dead_letters_open ON dead_letters (created_at) WHERE replayed_at IS NULL;
