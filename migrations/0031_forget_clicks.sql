-- Clicks that are removed on request (packages/db/src/ledger/remove-clicks.ts) keep when they happened, their class and their id, and
-- forget the rest. A function, so that the consumer can do this and no other change to a click; a privilege on single columns
-- can't be granted on a hypertable that is compressed. Returns those that had not been forgotten before. The days bound the
-- chunks of a hypertable that are looked into; a link, if given, which of a compressed chunk's batches.
CREATE OR REPLACE FUNCTION forget_clicks(instants timestamptz[], events uuid[], of_link uuid)
  RETURNS TABLE (forgotten_at timestamptz, forgotten_event uuid)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  first_at timestamptz;
  last_at timestamptz;
BEGIN
  SELECT min(instant), max(instant) INTO first_at, last_at FROM unnest(instants) AS instant;
  RETURN QUERY
    UPDATE click_events AS kept SET link_id = nobody, link_version = 1, workspace_id = NULL, domain_id = NULL, source = '',
      quality = 0, rule_id = NULL, variant_id = NULL, destination = NULL, visitor = NULL, referrer_host = NULL,
      language = NULL, browser = NULL, os = NULL, device = NULL, country = NULL, region = NULL, city = NULL,
      continent = NULL, latitude = NULL, longitude = NULL, colo = NULL, asn = NULL, utm_source = NULL, utm_medium = NULL,
      utm_campaign = NULL, utm_term = NULL, utm_content = NULL
    FROM unnest(instants, events) AS wanted (instant, event)
    WHERE kept.clicked_at = wanted.instant AND kept.event_id = wanted.event
      AND kept.clicked_at >= first_at AND kept.clicked_at <= last_at
      AND kept.link_id <> nobody AND (of_link IS NULL OR kept.link_id = of_link)
    RETURNING kept.clicked_at, kept.event_id;
END
$$;

-- docs/roles.sql grants it to the consumer.
REVOKE EXECUTE ON FUNCTION forget_clicks(timestamptz[], uuid[], uuid) FROM PUBLIC;
