-- What the API remembers of its callers' requests.

-- One row a key or session: how often it asked in the current window. Rewritten with every request, in the statement
-- that authenticates it. Losing it in a crash costs one window's count, so it stays out of the write-ahead log.
CREATE UNLOGGED TABLE IF NOT EXISTS request_counts (
  -- key:<uuid> or jwt:<subject>
  subject text PRIMARY KEY,
  window_started_at timestamptz NOT NULL,
  requests integer NOT NULL
) WITH (fillfactor = 50); -- rewritten in place: leave room on its page

-- One row a POST that carried an Idempotency-Key. Cleared after a day by the workspace's next such request.
CREATE TABLE IF NOT EXISTS idempotency_keys (
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  -- SHA-256 over method, path, query and body: the same key with another request is a mistake of the client.
  request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
  -- Which attempt holds the key; one that was overtaken must not write its answer.
  attempt_id uuid NOT NULL,
  -- NULL while the request is at work.
  status smallint,
  headers jsonb,
  -- NULL also where the answer held a secret, which is kept nowhere.
  body text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, key)
);
CREATE INDEX IF NOT EXISTS idempotency_keys_by_age ON idempotency_keys (workspace_id, created_at);
