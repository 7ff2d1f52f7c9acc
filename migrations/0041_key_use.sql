-- When an API key was last used, to the hour.
ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS last_used_at timestamptz;
