-- Where a link is in the lists by clicks and by its last click: a copy of both, made again when it is more than a tenth of the clicks
-- or a minute behind. Most batches of clicks now leave these columns, and so the indexes, alone. As functions of the counts (0038) the
-- copies changed with nearly each click of a link that had fewer than a hundred.
ALTER TABLE link_totals
  ALTER COLUMN clicks_rank DROP EXPRESSION IF EXISTS,
  ALTER COLUMN last_clicked_minute DROP EXPRESSION IF EXISTS;
ALTER TABLE link_totals
  ALTER COLUMN clicks_rank SET DEFAULT 0,
  ALTER COLUMN last_clicked_minute SET DEFAULT '-infinity';

CREATE OR REPLACE FUNCTION move_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.clicks_rank := NEW.human;
  NEW.last_clicked_minute := NEW.last_clicked_at;
  RETURN NEW;
END
$$;
-- Not for INSERT: rows of links begin without clicks, and one for which there is no link is in no list.
DROP TRIGGER IF EXISTS link_totals_moved ON link_totals;
CREATE TRIGGER link_totals_moved BEFORE UPDATE ON link_totals FOR EACH ROW
  WHEN (NEW.human NOT BETWEEN NEW.clicks_rank AND NEW.clicks_rank * 11 / 10
    OR NEW.last_clicked_at NOT BETWEEN NEW.last_clicked_minute AND NEW.last_clicked_minute + interval '1 minute')
  EXECUTE FUNCTION move_link();
