-- Work that sends an email has other names. What waits under the old ones is moved, and sent.
WITH moved AS (DELETE FROM work WHERE kind IN ('sign-in-letter', 'invitation-letter') RETURNING *)
INSERT INTO work (kind, key, payload, wanted_at, due_at)
SELECT replace(kind, '-letter', '-email'), key, payload, wanted_at, least(due_at, now()) FROM moved
ON CONFLICT (kind, key) DO NOTHING;
