-- A late click of a link that is gone was counted in a row of the link's workspace, and removing the link's clicks subtracted it there.
-- Such clicks have no link any more (packages/db/src/ingest/insert-clicks.ts).
UPDATE click_rollups SET clicks = 0 WHERE clicks < 0;
UPDATE workspace_rollups SET clicks = 0 WHERE clicks < 0;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_constraint WHERE conname = 'click_rollups_at_least_zero') THEN
    ALTER TABLE click_rollups ADD CONSTRAINT click_rollups_at_least_zero CHECK (clicks >= 0);
    ALTER TABLE workspace_rollups ADD CONSTRAINT workspace_rollups_at_least_zero CHECK (clicks >= 0);
    ALTER TABLE link_totals ADD CONSTRAINT link_totals_at_least_zero CHECK (human >= 0 AND total >= human);
    ALTER TABLE segment_ledger ADD CONSTRAINT segment_ledger_at_least_zero
      CHECK (LEAST(inserted, rejected, dead_lettered, duplicates) >= 0);
  END IF;
END
$$;
