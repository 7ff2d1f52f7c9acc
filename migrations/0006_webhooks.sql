-- Webhooks: endpoints, and what is sent to them (docs/webhooks.md).

CREATE TABLE webhook_endpoints (
  id uuid PRIMARY KEY, workspace_id uuid NOT NULL, url text NOT NULL CHECK (length(url) <= 2000),
  description text CHECK (length(description) <= 200), events text[] NOT NULL, -- Types of events.
  mode text NOT NULL CHECK (mode IN ('each', 'batch')), -- How clicks come: one in a message, or up to a hundred.
  link_ids uuid[], domain_ids uuid[], tags text[], classes text[] NOT NULL, -- NULL: all of them.
  secret text NOT NULL, -- Sealed (packages/sealing). While it is rotated, messages are signed with the old one too.
  secret_id uuid, -- Of the request that made it: a retry does not rotate it once more.
  old_secret text, old_secret_until timestamptz, off_since timestamptz, -- NULL: it is on.
  off_reason text CHECK (off_reason IN ('owner', 'gone', 'failing')), -- By a member; it answered 410; it failed for five days.
  -- It gets clicks of transactions after `from`, when it was made or switched on; since `filter` its filter is as it is.
  from_xid bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
  filter_xid bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz, -- Its rows are removed a slice at a time.
  version integer NOT NULL DEFAULT 1 -- Of what people change, and of being switched off, for If-Match.
);
CREATE INDEX webhook_endpoints_by_workspace ON webhook_endpoints (workspace_id, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX webhook_endpoints_deleted ON webhook_endpoints (id) WHERE deleted_at IS NOT NULL;

-- Since the endpoint was made: clicks_matched is what is delivered, waiting and given up. Rewritten every second.
CREATE TABLE webhook_totals (
  endpoint_id uuid PRIMARY KEY REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
  clicks_matched bigint NOT NULL DEFAULT 0, clicks_delivered bigint NOT NULL DEFAULT 0, clicks_given_up bigint NOT NULL DEFAULT 0,
  failing_since timestamptz, -- NULL: the last message was accepted.
  succeeded_at timestamptz
) WITH (fillfactor = 50);

-- Ordered by time, so that the log is read from its end and removed from its beginning.
CREATE FUNCTION new_delivery_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
    || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid
$$;

-- Outbox, queue and log in one. A row is up to a hundred clicks, or one other event.
CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY DEFAULT new_delivery_id(), endpoint_id uuid NOT NULL, type text NOT NULL,
  subject text, -- What happened to what: once for an endpoint. NULL for clicks.
  created_at timestamptz NOT NULL DEFAULT now(), clicks integer NOT NULL DEFAULT 0,
  -- Its clicks, in the order in which they became visible, and when they happened. They are read when they are sent.
  event_ids uuid[], clicked_from timestamptz, clicked_to timestamptz,
  data jsonb, -- Of other events: the row as it was, or a minute's counts.
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'given-up')),
  due_at timestamptz NOT NULL DEFAULT now(), give_up_at timestamptz NOT NULL DEFAULT now() + interval '24 hours',
  sent integer NOT NULL DEFAULT 0, -- Clicks of event_ids that have been accepted, where each is a message.
  lost integer NOT NULL DEFAULT 0, -- Clicks that were deleted before they were sent: of a delivered row they count as given up.
  attempts integer NOT NULL DEFAULT 0, attempted_at timestamptz, -- The last attempt.
  status smallint, duration_ms integer,
  error text, -- Why there was no answer, or none that counts.
  answer text -- Its first kilobyte.
);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (endpoint_id, due_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, state, id DESC);
CREATE UNIQUE INDEX webhook_deliveries_by_subject ON webhook_deliveries (endpoint_id, subject) WHERE subject IS NOT NULL;

-- Of endpoints that get sums: the minute that is not over.
CREATE TABLE webhook_sums (
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
  minute timestamptz NOT NULL, link_id uuid NOT NULL, clicks bigint NOT NULL, PRIMARY KEY (endpoint_id, minute, link_id)
);

-- Up to where clicks have become deliveries, for all endpoints. click_events.inserted_xid says why this order misses none.
CREATE TABLE webhook_cursor (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  next_xid bigint NOT NULL DEFAULT 0, -- All of the transactions before it, and of this one the clicks up to after_event.
  after_event uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000', moved_at timestamptz NOT NULL DEFAULT now(),
  expired_until timestamptz NOT NULL DEFAULT now() -- Links that expired until then have been announced.
);
INSERT INTO webhook_cursor DEFAULT VALUES;

-- When deliveries are looked for next. Apart from the cursor, so that the consumer never waits for its lock.
CREATE TABLE webhook_alarm (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), rings_at timestamptz NOT NULL DEFAULT '-infinity',
  busy_until timestamptz NOT NULL DEFAULT '-infinity' -- Until then a run looks for new clicks every second.
);
INSERT INTO webhook_alarm DEFAULT VALUES;

-- Events of links and domains, by the statement that makes them happen, so that no path leaves them out.
CREATE FUNCTION listens(endpoint webhook_endpoints, to_type text, of_workspace uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT endpoint.workspace_id = of_workspace AND endpoint.off_since IS NULL AND endpoint.deleted_at IS NULL
      AND to_type = ANY(endpoint.events)
  $$;

CREATE FUNCTION announce_link(link links, of_type text, on_subject text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO webhook_deliveries (endpoint_id, type, subject, data)
  SELECT endpoint.id, of_type, on_subject,
    (to_jsonb(link) - '{record,search_text,password,deleted_at}'::text[])
      || CASE WHEN link.password IS NULL THEN '{}' ELSE '{"password":{}}'::jsonb END
  FROM webhook_endpoints AS endpoint
  WHERE listens(endpoint, of_type, link.workspace_id)
    AND (endpoint.link_ids IS NULL OR link.id = ANY(endpoint.link_ids))
    AND (endpoint.domain_ids IS NULL OR link.domain_id = ANY(endpoint.domain_ids))
    AND (endpoint.tags IS NULL OR link.tags && endpoint.tags)
  ON CONFLICT DO NOTHING
$$;

-- Of a statement and not of each link: without an endpoint that listens, an import of thousands costs one look.
CREATE FUNCTION announce_links() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM webhook_endpoints WHERE off_since IS NULL AND deleted_at IS NULL
      AND events && '{link.created,link.updated,link.deleted,link.ended}'
  ) THEN RETURN NULL; END IF;
  -- A row of a transition table has no type of its own.
  IF TG_OP = 'INSERT' THEN
    PERFORM announce_link(jsonb_populate_record(NULL::links, to_jsonb(written)), 'link.created', id || '/' || version) FROM written;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM announce_link(jsonb_populate_record(NULL::links, to_jsonb(before)), 'link.deleted', before.id || '/deleted')
    FROM before WHERE before.state <> 'deleted';
  ELSE
    -- With the version: a link that came back from the trash can be deleted again.
    PERFORM announce_link(jsonb_populate_record(NULL::links, to_jsonb(before)), 'link.deleted', before.id || '/deleted/' || written.version)
    FROM written JOIN before ON before.id = written.id
    WHERE written.state = 'deleted' AND before.state <> 'deleted';
    -- What is published anew without an edit is no event.
    PERFORM announce_link(jsonb_populate_record(NULL::links, to_jsonb(written)), 'link.updated', written.id || '/' || written.version)
    FROM written JOIN before ON before.id = written.id
    WHERE written.state <> 'deleted'
      AND to_jsonb(written) - '{version,record,search_text,updated_at}'::text[]
        IS DISTINCT FROM to_jsonb(before) - '{version,record,search_text,updated_at}'::text[];
    -- Those that expire later are found by the API's job.
    PERFORM announce_link(jsonb_populate_record(NULL::links, to_jsonb(written)), 'link.ended',
      written.id || '/expired/' || extract(epoch FROM written.expires_at))
    FROM written JOIN before ON before.id = written.id
    WHERE written.state = 'live' AND written.expires_at <= now() AND before.expires_at IS DISTINCT FROM written.expires_at;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER links_announced AFTER INSERT ON links REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION announce_links();
CREATE TRIGGER links_announced_changed AFTER UPDATE ON links REFERENCING OLD TABLE AS before NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION announce_links();
CREATE TRIGGER links_announced_deleted AFTER DELETE ON links REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION announce_links();

-- A cap is written after its link, in the same transaction: the link's event is there already then, under the same subject.
CREATE FUNCTION announce_cap() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE of_link uuid := CASE TG_OP WHEN 'DELETE' THEN OLD.link_id ELSE NEW.link_id END;
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.published_used_up AND NOT OLD.published_used_up THEN
    PERFORM announce_link(links, 'link.ended', links.id || '/used-up/' || links.version) FROM links WHERE id = of_link;
  ELSIF TG_OP <> 'UPDATE' OR (NEW.mode, NEW.max_clicks) IS DISTINCT FROM (OLD.mode, OLD.max_clicks) THEN
    PERFORM announce_link(links, 'link.updated', links.id || '/' || links.version) FROM links
    WHERE id = of_link AND state <> 'deleted'
      AND EXISTS (SELECT FROM link_versions WHERE link_id = links.id AND version < links.version);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER link_caps_announced AFTER INSERT OR DELETE OR UPDATE OF mode, max_clicks, published_used_up ON link_caps
  FOR EACH ROW EXECUTE FUNCTION announce_cap();

CREATE FUNCTION announce_domain() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  was_proved boolean := TG_OP = 'UPDATE' AND OLD.proof <> 'pending';
  was_failing boolean := TG_OP = 'UPDATE' AND OLD.missing_since IS NOT NULL;
  of_type text := CASE WHEN NEW.deleted_at IS NOT NULL THEN NULL
    WHEN NEW.proof <> 'pending' AND NOT was_proved THEN 'domain.verified'
    WHEN (NEW.missing_since IS NOT NULL AND NOT was_failing) OR (NEW.proof = 'pending' AND was_proved) THEN 'domain.failing' END;
BEGIN
  INSERT INTO webhook_deliveries (endpoint_id, type, data)
  SELECT endpoint.id, of_type, to_jsonb(NEW) - 'record'
  FROM webhook_endpoints AS endpoint
  WHERE listens(endpoint, of_type, NEW.workspace_id)
    AND (endpoint.domain_ids IS NULL OR NEW.id = ANY(endpoint.domain_ids));
  RETURN NULL;
END $$;
CREATE TRIGGER domains_announced AFTER INSERT OR UPDATE OF proof, missing_since ON domains FOR EACH ROW EXECUTE FUNCTION announce_domain();

-- Its URL may hold a token. Of a rotation the log knows that there was one.
CREATE TRIGGER webhook_endpoints_audit AFTER INSERT OR DELETE OR UPDATE OF url, description, events, mode, link_ids, domain_ids,
  tags, classes, secret_id, off_reason, deleted_at ON webhook_endpoints
  FOR EACH ROW EXECUTE FUNCTION audit_row('webhook',
    '{secret,old_secret,old_secret_until,off_since,from_xid,filter_xid,created_at,updated_at,version}', '{url,secret_id}');

REVOKE EXECUTE ON FUNCTION announce_link(links, text, text), announce_links(), announce_cap(), announce_domain() FROM PUBLIC;
