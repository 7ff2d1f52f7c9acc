/** Whose account an identity at a provider belongs to. */
import { sql } from "drizzle-orm";
import type { Database } from "../../database.ts";
import { newEntityId } from "../../http/entity-id.ts";
import type { Identity } from "./provider-client.ts";

/**
 * The person whom this identity signs in: the one it belongs to; or the one with its verified address, to whom it belongs
 * from now on; or, if `maySignUp`, a new one. `null` if there is none. One statement: all of it or nothing.
 */
export async function findOrMakePerson(
  database: Database,
  { issuer, subject, email, name }: Identity,
  maySignUp: boolean,
): Promise<string | null> {
  const { rows } = await database.execute(sql`
    WITH known AS (
      SELECT person_id AS id FROM accounts WHERE provider_id = ${issuer} AND account_id = ${subject}
    ),
    matched AS (
      SELECT id FROM people WHERE email = ${email} AND email_verified AND NOT EXISTS (SELECT FROM known)
    ),
    made AS (
      INSERT INTO people (id, name, email, email_verified)
      SELECT ${newEntityId()}::uuid, ${name}, ${email}, true
      WHERE ${maySignUp} AND ${email}::text IS NOT NULL AND NOT EXISTS (SELECT FROM known)
      ON CONFLICT (email) DO NOTHING RETURNING id
    ),
    linked AS (
      INSERT INTO accounts (id, person_id, provider_id, account_id)
      SELECT ${newEntityId()}::uuid, id, ${issuer}, ${subject} FROM (SELECT id FROM matched UNION ALL SELECT id FROM made) AS person
      ON CONFLICT (provider_id, account_id) DO NOTHING
    )
    SELECT id FROM known UNION ALL SELECT id FROM matched UNION ALL SELECT id FROM made`);
  return rows[0] === undefined ? null : String(rows[0]["id"]);
}
