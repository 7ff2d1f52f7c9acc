-- What the edge has not been told yet, and what it must never be told again.

-- One row an address: the newest committed change that is not yet known to be in KV and in the change feed. It is
-- written by the transaction that changes the link. A second change before the first is published replaces its row, so
-- ten edits in a second are one write to KV (which takes one a second and key).
CREATE TABLE IF NOT EXISTS link_outbox (
  -- host/slug, as the edge asks for it.
  link_key text PRIMARY KEY,
  link_id uuid NOT NULL,
  version bigint NOT NULL CHECK (version >= 1),
  -- The record to publish; for a deleted link, or an address that a link has left, a tombstone.
  record text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Publishers that have taken the row up and not finished it.
  attempts integer NOT NULL DEFAULT 0,
  -- Who publishes it now. While due_at lies ahead, nobody else does.
  lease uuid,
  -- From then on the scheduled job may take the row, whoever held it before.
  due_at timestamptz NOT NULL DEFAULT now(),
  -- Set once KV and the feed have it: the row then waits for its second, confirming write.
  published_at timestamptz
);
CREATE INDEX IF NOT EXISTS link_outbox_by_due ON link_outbox (due_at);

-- Addresses that a link has left. Versions are compared by address at the edge, so whatever is published here next
-- must carry a higher one than the tombstone, whichever link it belongs to.
CREATE TABLE IF NOT EXISTS retired_addresses (
  link_key text PRIMARY KEY,
  link_id uuid NOT NULL,
  version bigint NOT NULL CHECK (version >= 1),
  retired_at timestamptz NOT NULL DEFAULT now()
);
