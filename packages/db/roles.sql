-- Least-privilege roles: each Worker may do what its own statements need, and nothing else.
--
-- Run it as the owner of the tables, the login that runs the migrations, and again after every migration; it may be
-- repeated. Then make a login for each Worker, with a password of its own:
--
--   CREATE ROLE producer_login LOGIN PASSWORD '…' IN ROLE hopline_producer;
--
-- On a hypertable, privileges of the table apply to its chunks too, and new chunks belong to the table's owner.
BEGIN;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['hopline_producer', 'hopline_consumer', 'hopline_api', 'hopline_reader'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', name);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;
    END;
  END LOOP;
END
$$;

-- In the same transaction as the grants below: nobody loses a privilege in between.
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM hopline_producer, hopline_consumer, hopline_api, hopline_reader;
GRANT USAGE ON SCHEMA public TO hopline_producer, hopline_consumer, hopline_api, hopline_reader;

-- The producer looks links and domains up, and takes uses of strict caps.
GRANT SELECT ON addresses TO hopline_producer;
GRANT EXECUTE ON FUNCTION claim_uses(uuid, bigint, bigint), return_uses(uuid, bigint, bigint) TO hopline_producer;

-- The consumer writes clicks and everything that is counted from them, and removes what is past its retention. Also for
-- `pnpm dead-letters`, which replays through the consumer's code and marks the letter.
GRANT SELECT ON links, link_caps TO hopline_consumer;
GRANT SELECT (id) ON workspaces TO hopline_consumer;
GRANT SELECT (id) ON domains TO hopline_consumer;
GRANT SELECT, INSERT, UPDATE, DELETE ON missed_visits TO hopline_consumer;
GRANT SELECT, INSERT, UPDATE ON alias_clicks TO hopline_consumer;
GRANT SELECT (link_id, version, destination) ON link_versions TO hopline_consumer;
GRANT UPDATE (used) ON link_caps TO hopline_consumer;
GRANT SELECT, INSERT, DELETE ON click_events, dead_letters, edge_reports TO hopline_consumer;
GRANT UPDATE (replayed_at) ON dead_letters TO hopline_consumer;
GRANT SELECT, INSERT, UPDATE ON ingest_counters, edge_answers, edge_feed_ages, event_retention, ledger_sums TO hopline_consumer;
GRANT SELECT, INSERT, UPDATE, DELETE ON work, segment_ledger, click_rollups, workspace_rollups, link_totals,
  click_cube, cube_days, cube_visitors, cube_visits TO hopline_consumer;
GRANT EXECUTE ON FUNCTION drop_click_chunks(timestamptz), forget_clicks(timestamptz[], uuid[], uuid) TO hopline_consumer;
GRANT SELECT ON counting_mode TO hopline_consumer;
GRANT EXECUTE ON FUNCTION must_count_in(text) TO hopline_consumer;
GRANT SELECT, INSERT, UPDATE, DELETE ON clickhouse_removals TO hopline_consumer;
GRANT SELECT, DELETE ON removed_destinations TO hopline_consumer;
-- Whether a webhook wants its clicks, and when the API looks for them.
GRANT SELECT (workspace_id, events, off_since, deleted_at) ON webhook_endpoints TO hopline_consumer;
GRANT SELECT (workspace_id, ends_at) ON live_streams TO hopline_consumer;
GRANT SELECT, UPDATE ON webhook_alarm TO hopline_consumer;

-- The API manages links and keys, and reads analytics. It changes no click and no count.
GRANT SELECT ON missed_visits, alias_clicks TO hopline_api;
GRANT INSERT ON removed_destinations TO hopline_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON workspaces TO hopline_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON people, sessions, accounts, passkeys, verifications, members, invitations,
  credential_attempts, known_networks TO hopline_api;
GRANT SELECT, INSERT, UPDATE ON addresses, kv_writes TO hopline_api;
-- Triggers write what links were and who changed what. What is too old is removed.
GRANT SELECT ON link_versions, schema_migrations TO hopline_api;
GRANT SELECT, DELETE ON audit_log TO hopline_api;
REVOKE EXECUTE ON FUNCTION audit_event(uuid, text, uuid, text), audit_refused_sign_in(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_event(uuid, text, uuid, text), audit_refused_sign_in(text) TO hopline_api;
GRANT SELECT ON person_limits TO hopline_api;
GRANT SELECT, INSERT, UPDATE ON workspace_limits TO hopline_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace_requests TO hopline_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON folders, tags, domain_logos TO hopline_api;
-- Triggers count.
GRANT SELECT ON tag_counts TO hopline_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_endpoints, webhook_totals, webhook_deliveries, webhook_sums TO hopline_api;
GRANT SELECT, UPDATE ON webhook_cursor, webhook_alarm TO hopline_api;
GRANT EXECUTE ON FUNCTION announce_link(links, text, text) TO hopline_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON work, api_keys, domains, links, link_caps, idempotency_keys, stored_answers, request_counts,
  live_streams TO hopline_api;
GRANT SELECT ON click_events, click_rollups, workspace_rollups, link_totals, segment_ledger, ledger_sums, dead_letters, event_retention,
  ingest_counters, edge_answers, edge_feed_ages, edge_reports, click_cube, cube_days, cube_visitors,
  cube_visits TO hopline_api;

-- For people: `pnpm reconcile`, `pnpm doctor`, `pnpm dead-letters list`. Reads counts and sealed letters, changes nothing.
GRANT SELECT ON counting_mode, clickhouse_removals TO hopline_api, hopline_reader;
GRANT SELECT ON schema_migrations, click_events, click_rollups, workspace_rollups, link_totals, segment_ledger, ledger_sums, dead_letters,
  event_retention, ingest_counters, edge_answers, edge_feed_ages, edge_reports,
  click_cube, cube_days, cube_visitors, cube_visits TO hopline_reader;
GRANT SELECT (link_id, version, destination) ON link_versions TO hopline_reader;
GRANT SELECT (host, workspace_id, deleted_at, proof, proved_at, missing_since) ON domains TO hopline_reader;
-- Not the payload, which has links' destinations.
GRANT SELECT (kind, wanted_at, due_at, lease, attempts, last_error) ON work TO hopline_reader;
GRANT SELECT ON kv_writes TO hopline_reader;
-- For `pnpm reconcile --webhooks`: neither URLs nor secrets, nor what was sent.
GRANT SELECT (id, workspace_id, events, mode, link_ids, domain_ids, tags, classes, off_since, from_xid, filter_xid, deleted_at)
  ON webhook_endpoints TO hopline_reader;
GRANT SELECT (endpoint_id, type, created_at, clicks, event_ids, state, lost) ON webhook_deliveries TO hopline_reader;
GRANT SELECT ON webhook_totals, webhook_sums, webhook_cursor TO hopline_reader;

-- One table for the work of two Workers: each sees what is its own. Or the consumer, which reads what strangers send, could
-- have a record of its making published. The tables' owner is not bound by this.
ALTER TABLE work ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS consumer_work ON work;
CREATE POLICY consumer_work ON work TO hopline_consumer
  USING (kind IN ('spill', 'retention', 'summary', 'tags', 'link-totals', 'remove-clicks', 'ledger'));
DROP POLICY IF EXISTS api_work ON work;
CREATE POLICY api_work ON work TO hopline_api USING (true);
DROP POLICY IF EXISTS read_work ON work;
CREATE POLICY read_work ON work FOR SELECT TO hopline_reader USING (true);

COMMIT;
