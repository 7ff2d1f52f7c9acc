-- Retention on a hypertable drops whole chunks, which TimescaleDB allows to the table's owner only. With this function
-- the consumer can do it without owning the table. Without TimescaleDB it is never called: rows are deleted instead.
CREATE OR REPLACE FUNCTION drop_click_chunks(before timestamptz) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT count(*) FROM drop_chunks('click_events', older_than => before));
END
$$;

-- docs/roles.sql grants it to the consumer.
REVOKE EXECUTE ON FUNCTION drop_click_chunks(timestamptz) FROM PUBLIC;
