/**
 * A change of address that waits for its proof: the person who asked for it opens the link that goes to the new address. One waits for
 * each person, for an hour. Each change is one statement.
 */
import { UNIQUE_VIOLATION } from "@hopline/db/database-failure";
import { ON_NEWER_WORK } from "@hopline/db/work/enqueue-work";
import { people, verifications } from "@hopline/db/schema";
import { and, eq, gt, notExists, sql } from "drizzle-orm";
import { type Database, failureOf } from "../database.ts";
import { toSql } from "../to-sql.ts";

export const EMAIL_CHANGE_MINUTES = 60;

function toIdentifier(personId: string): string {
  return `email-change:${personId}`;
}

type Wanted = { readonly id: string; readonly personId: string; readonly email: string };

/** In place of the one that waits; enqueues the email, unless an earlier attempt of the same request has. */
export async function insertEmailChange(database: Database, { id, personId, email }: Wanted): Promise<void> {
  await database.execute(sql`
    WITH former AS (DELETE FROM verifications WHERE identifier = ${toIdentifier(personId)} AND id <> ${id}::uuid),
    wanted AS (
      INSERT INTO verifications (id, identifier, value, expires_at)
      VALUES (${id}::uuid, ${toIdentifier(personId)}, ${JSON.stringify({ email })},
        now() + ${EMAIL_CHANGE_MINUTES} * interval '1 minute')
      ON CONFLICT (id) DO NOTHING RETURNING id
    )
    INSERT INTO work AS kept (kind, key) SELECT 'email-change-email', id::text FROM wanted ${toSql(ON_NEWER_WORK)}`);
}

/** The new address; `null` for a change that was made or replaced, is too old, or whose address has an account. */
export async function findEmailChange(database: Database, id: string): Promise<string | null> {
  const email = sql<string>`${verifications.value}::jsonb ->> 'email'`;
  const taken = database.select({ id: people.id }).from(people).where(eq(people.email, email));
  const rows = await database
    .select({ email })
    .from(verifications)
    .where(and(eq(verifications.id, id), gt(verifications.expiresAt, sql`now()`), notExists(taken)));
  return rows[0]?.email ?? null;
}

/**
 * Changes the address, and enqueues an email that says so to the former one, from which links that are on their way sign no person
 * in any more. False if it can't be changed: see `findEmailChange`, or it is another person's.
 */
export async function makeEmailChange(database: Database, personId: string, id: string): Promise<boolean> {
  try {
    const { rows } = await database.execute(sql`
      WITH used AS (
        DELETE FROM verifications
        WHERE id = ${id}::uuid AND identifier = ${toIdentifier(personId)} AND expires_at > now()
        RETURNING value::jsonb ->> 'email' AS email
      ),
      former AS (SELECT email FROM people WHERE id = ${personId}::uuid),
      changed AS (
        UPDATE people SET email = used.email, email_verified = true, updated_at = now() FROM used
        WHERE people.id = ${personId}::uuid AND NOT EXISTS (SELECT FROM people AS other WHERE other.email = used.email)
        RETURNING people.id
      ),
      links AS (
        DELETE FROM verifications
        WHERE EXISTS (SELECT FROM changed) AND strpos(value, (SELECT to_json(email)::text FROM former)) > 0
      )
      INSERT INTO work AS kept (kind, key) SELECT 'email-changed-email', former.email FROM former, changed
      ${toSql(ON_NEWER_WORK)} RETURNING key`);
    return rows.length > 0;
  } catch (error) {
    // An account with this address was made at the same moment.
    if (failureOf(error).sqlState === UNIQUE_VIOLATION) {
      return false;
    }
    throw error;
  }
}
