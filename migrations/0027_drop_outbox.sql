-- What 0020 and 0021 kept for the release before them. Their rows were moved to work and addresses.
DROP TABLE IF EXISTS link_outbox, retired_addresses;
DROP FUNCTION IF EXISTS copy_outbox_to_work();
ALTER TABLE domains DROP COLUMN IF EXISTS arrivals, DROP COLUMN IF EXISTS status_changed_at;
