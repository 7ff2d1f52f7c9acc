-- How far clicks are copied to ClickHouse. Empty, and never read, without CLICKHOUSE_URL.

-- One row. Clicks of transactions before started_xid are copied day by day (clickhouse_day_copies); from there on they are
-- copied in the order of their transactions, up to the oldest that is still open (see 0011).
CREATE TABLE IF NOT EXISTS clickhouse_copy (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  started_xid bigint NOT NULL,
  -- The day of the oldest click when copying began.
  since_day date NOT NULL,
  -- Everything before it is in ClickHouse, but for the days in clickhouse_day_copies.
  next_xid bigint NOT NULL,
  -- The end of the range that is being copied, and the oldest click that counts for it. Kept, so that a range that was cut
  -- off is copied again as the same inserts. NULL: no range is.
  planned_xid bigint,
  planned_since timestamptz,
  -- How many transactions one insert tries to cover: adapts to their size.
  span bigint NOT NULL DEFAULT 1000,
  -- When next_xid last reached the oldest open transaction: how far behind the copy is.
  caught_up_at timestamptz NOT NULL DEFAULT now(),
  -- The last workspace whose days were compared with what is sealed; they take turns.
  compared_workspace uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);

-- UTC days that have to be copied as a whole: every day once, and days of a workspace that turned out wrong.
CREATE TABLE IF NOT EXISTS clickhouse_day_copies (
  day date NOT NULL,
  -- All zeros: of every workspace.
  workspace_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  -- Makes the tokens of its inserts new ones: those of an earlier copy would be dropped.
  attempt uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Clicks of this and later transactions are left to the copy by transaction.
  before_xid bigint NOT NULL,
  -- The last click that was copied. NULL: not begun; a workspace's rows of the day are still to be removed from ClickHouse.
  reached_at timestamptz,
  reached_event uuid,
  PRIMARY KEY (day, workspace_id)
);

-- Days of workspaces in ClickHouse. A day is answered from there only while it is sealed and the rollups still count what
-- was sealed.
CREATE TABLE IF NOT EXISTS clickhouse_days (
  workspace_id uuid NOT NULL,
  day date NOT NULL,
  -- Grows with every copy into the day, and with every removal from it: a day is sealed only as it was compared.
  copies bigint NOT NULL DEFAULT 1,
  -- Clicks that Postgres and ClickHouse agreed on. NULL: not sealed.
  sealed_clicks bigint,
  -- Which clicks those are: the projection `days` in migrations/clickhouse.
  fingerprint numeric(20),
  -- Of a day that is not sealed: when it is compared next, how often it was wrong since clicks were last copied into it, how
  -- often it was copied again for that, and what was found the last time: by the rollups, rows and events in ClickHouse.
  due_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  repairs integer NOT NULL DEFAULT 0,
  counted_clicks bigint,
  found_clicks bigint,
  found_events bigint,
  PRIMARY KEY (workspace_id, day)
) WITH (fillfactor = 80);
CREATE INDEX IF NOT EXISTS clickhouse_days_unsealed ON clickhouse_days (due_at) WHERE sealed_clicks IS NULL;
