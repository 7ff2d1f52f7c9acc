-- Networks from which somebody has signed in to an account: strangers who try passwords for it until no more are taken do not shut
-- these out. By an HMAC of the account's address and the network: neither is kept, and the same network of two accounts looks
-- different. Forgotten after 90 days without a sign-in.
CREATE TABLE IF NOT EXISTS known_networks (
  subject bytea PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS known_networks_by_person ON known_networks (person_id);
CREATE INDEX IF NOT EXISTS known_networks_by_age ON known_networks (seen_at);
