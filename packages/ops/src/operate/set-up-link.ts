/**
 * The link that makes its opener the owner of a deployment that has no account yet. The database gets the SHA-256 of
 * its token; the token works once, for a day.
 */
import { createHash, randomBytes } from "node:crypto";

import { sql } from "@hopline/db/sql";

import { runAt } from "./direct-sql.ts";

const TOKEN_BYTES = 24;

/** `null` once there is an account. `appOrigin` without a slash at the end. */
export async function createSetUpLink(databaseUrl: string, appOrigin: string): Promise<string | null> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const hash = createHash("sha256").update(token).digest("hex");
  const statement = sql`
    INSERT INTO verifications (id, identifier, value, expires_at)
    SELECT gen_random_uuid(), ${`set-up:${hash}`}, '', now() + interval '1 day'
    WHERE NOT EXISTS (SELECT FROM people) RETURNING 1`;
  const added = await runAt(databaseUrl, statement);
  return added.length === 0 ? null : `${appOrigin}/set-up?token=${token}`;
}
