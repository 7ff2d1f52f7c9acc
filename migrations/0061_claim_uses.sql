-- Uses of a strict cap are claimed many at once, by a function, because that brings its own limit for the wait: one statement holds the
-- row's lock for its commit only. In a transaction of two statements each round trip was time in which nobody else got a use.

-- What the last claim got. A column, because an UPDATE can't return what a row was; and to lock it first by a SELECT costs three
-- quarters of the claims that 40 connections get from one row.
ALTER TABLE link_caps ADD COLUMN IF NOT EXISTS claimed bigint NOT NULL DEFAULT 0;

-- Waits for the row for 25 ms: all who wait look again with each commit, so many of them hold up everybody.
--
-- How many uses were left, `wanted` at most, and so many of `spare` that all together are at most one in a hundred of what is left.
-- NULL where none is left or no strict cap is known.
CREATE OR REPLACE FUNCTION claim_uses(of_link uuid, wanted bigint, spare bigint) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '25ms' AS $$
  UPDATE link_caps SET
    claimed = least(max_clicks - used, greatest(wanted, least(wanted + spare, (max_clicks - used) / 100))),
    used = used + least(max_clicks - used, greatest(wanted, least(wanted + spare, (max_clicks - used) / 100)))
  WHERE link_id = of_link AND mode = 'strict' AND used < max_clicks
  RETURNING claimed
$$;

-- Gives back what nobody came for. Not where the link was edited since, as its uses may have been set anew; nor where it has been
-- published that it is used up. Nobody waits for it.
CREATE OR REPLACE FUNCTION return_uses(of_link uuid, unused bigint, of_version bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
  UPDATE link_caps SET used = used - unused FROM links
  WHERE link_id = of_link AND links.id = of_link AND links.version = of_version AND mode = 'strict'
    AND NOT published_used_up AND used >= unused
$$;

-- With them a cap can be used up, or never be: docs/roles.sql grants them to the producer.
REVOKE EXECUTE ON FUNCTION claim_uses(uuid, bigint, bigint), return_uses(uuid, bigint, bigint) FROM PUBLIC;
