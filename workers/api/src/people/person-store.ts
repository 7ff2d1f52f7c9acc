/** People, their passwords and their sessions in Postgres. Each change is one statement or one transaction. */
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { newEntityId } from "../http/entity-id.ts";

export type StoredPerson = { readonly id: string; readonly email: string; readonly name: string };

export async function findPersonByEmail(database: Database, email: string): Promise<StoredPerson | null> {
  const { rows } = await database.execute(sql`SELECT id, email, name FROM people WHERE email = ${email}`);
  return rows[0] === undefined ? null : toPerson(rows[0]);
}

/** Whether an invitation to any workspace waits for this address. */
export async function isInvited(database: Database, email: string): Promise<boolean> {
  const { rows } = await database.execute(sql`
    SELECT FROM invitations JOIN workspaces ON workspaces.id = workspace_id AND deleted_at IS NULL
    WHERE email = ${email} AND status = 'pending' AND expires_at > now() LIMIT 1`);
  return rows.length > 0;
}

export type Profile = StoredPerson & { readonly password: string | null; readonly createdAtMs: number };

/** With the hash of the password; `null` if there is none. */
export async function findProfile(database: Database, personId: string): Promise<Profile | null> {
  const { rows } = await database.execute(sql`
    SELECT people.id, email, name, password, extract(epoch FROM people.created_at) * 1000 AS created_at_ms
    FROM people LEFT JOIN accounts ON person_id = people.id AND provider_id = 'credential'
    WHERE people.id = ${personId}::uuid`);
  const row = rows[0];
  const password = row?.["password"];
  return row === undefined
    ? null
    : {
        ...toPerson(row),
        password: typeof password === "string" ? password : null,
        createdAtMs: Math.floor(Number(row["created_at_ms"])),
      };
}

export async function renamePerson(database: Database, personId: string, name: string): Promise<void> {
  await database.execute(
    sql`UPDATE people SET name = ${name}, updated_at = now() WHERE id = ${personId}::uuid`,
  );
}

/** Sets the password and ends every other session, both or neither. */
export async function replacePassword(
  database: Database,
  {
    personId,
    sessionId,
    hash,
  }: { readonly personId: string; readonly sessionId: string; readonly hash: string },
): Promise<void> {
  await database.batch([
    database.execute(sql`
      INSERT INTO accounts (id, person_id, provider_id, account_id, password)
      VALUES (${newEntityId()}::uuid, ${personId}::uuid, 'credential', ${personId}, ${hash})
      ON CONFLICT (provider_id, account_id) DO UPDATE SET password = excluded.password, updated_at = now()`),
    database.execute(sql`
      DELETE FROM sessions WHERE person_id = ${personId}::uuid AND id <> ${sessionId}::uuid`),
  ]);
}

export type StoredSession = {
  readonly id: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
};

/** Those that have not ended, newest first. */
export async function listSessions(database: Database, personId: string): Promise<readonly StoredSession[]> {
  const { rows } = await database.execute(sql`
    SELECT id, extract(epoch FROM created_at) * 1000 AS created_at_ms, extract(epoch FROM expires_at) * 1000 AS expires_at_ms
    FROM sessions WHERE person_id = ${personId}::uuid AND expires_at > now() ORDER BY id DESC LIMIT 100`);
  return rows.map((row) => ({
    id: String(row["id"]),
    createdAtMs: Math.floor(Number(row["created_at_ms"])),
    expiresAtMs: Math.floor(Number(row["expires_at_ms"])),
  }));
}

/** False if the person has no such session. */
export async function endSession(database: Database, personId: string, sessionId: string): Promise<boolean> {
  const { rows } = await database.execute(sql`
    DELETE FROM sessions WHERE person_id = ${personId}::uuid AND id = ${sessionId}::uuid RETURNING id`);
  return rows.length > 0;
}

export async function endOtherSessions(
  database: Database,
  { personId, sessionId }: { readonly personId: string; readonly sessionId: string },
): Promise<void> {
  await database.execute(sql`
    DELETE FROM sessions WHERE person_id = ${personId}::uuid AND id <> ${sessionId}::uuid`);
}

export async function endSessionOfToken(database: Database, token: string): Promise<void> {
  await database.execute(sql`DELETE FROM sessions WHERE token = ${token}`);
}

function toPerson(row: { readonly [name: string]: unknown }): StoredPerson {
  return { id: String(row["id"]), email: String(row["email"]), name: String(row["name"]) };
}

/** Whose session a token is; `null` if it has ended. */
export async function findPersonOfToken(database: Database, token: string): Promise<string | null> {
  const { rows } = await database.execute(
    sql`SELECT person_id FROM sessions WHERE token = ${token} AND expires_at > now()`,
  );
  return rows[0] === undefined ? null : String(rows[0]["person_id"]);
}

/**
 * Deletes an account with all that is its own. Where it is the only owner of workspaces nothing is deleted: returns their
 * names. Takes turns on the workspaces with whoever changes their owners (member-store.ts).
 */
export async function removePerson(database: Database, personId: string): Promise<readonly string[]> {
  const owned = sql`SELECT workspace_id FROM members WHERE person_id = ${personId}::uuid AND role = 'owner'`;
  const soleOwned = sql`
    SELECT name FROM workspaces WHERE id IN (${owned}) AND deleted_at IS NULL AND NOT EXISTS (
      SELECT FROM members AS other
      WHERE other.workspace_id = workspaces.id AND other.role = 'owner' AND other.person_id <> ${personId}::uuid)`;
  const [, , { rows }] = await database.batch([
    database.execute(sql`SELECT FROM workspaces WHERE id IN (${owned}) ORDER BY id FOR NO KEY UPDATE`),
    // Emails that are on their way make no new account of the old address.
    database.execute(sql`
      DELETE FROM verifications WHERE NOT EXISTS (${soleOwned}) AND strpos(value, (
        SELECT to_json(email)::text FROM people WHERE id = ${personId}::uuid)) > 0`),
    database.execute(sql`
      WITH refused AS (${soleOwned}),
      removed AS (DELETE FROM people WHERE id = ${personId}::uuid AND NOT EXISTS (SELECT FROM refused))
      SELECT name FROM refused ORDER BY name LIMIT 100`),
  ]);
  return rows.map((row) => String(row["name"]));
}
