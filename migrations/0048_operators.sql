-- Operators: people who may see what is of the whole deployment, such as whether every click is accounted for. Whoever opens
-- the set-up link is one; `pnpm operators` gives the role to others. In a deployment that has people already it is the earliest
-- account, which that link made.
ALTER TABLE people ADD COLUMN IF NOT EXISTS is_operator boolean NOT NULL DEFAULT false;
UPDATE people SET is_operator = true
WHERE id = (SELECT id FROM people ORDER BY created_at, id LIMIT 1) AND NOT EXISTS (SELECT FROM people WHERE is_operator);
