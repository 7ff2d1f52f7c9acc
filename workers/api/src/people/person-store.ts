/** People, their passwords and their sessions in Postgres. Each change is one statement or one transaction. */
import { accounts, members, people, sessions, verifications, workspaces } from "@hopline/db/schema";
import { and, asc, desc, eq, exists, gt, inArray, isNull, ne, notExists, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Database } from "../database.ts";
import { newEntityId } from "../http/entity-id.ts";
import { epochMs } from "../instant.ts";

export type StoredPerson = { readonly id: string; readonly email: string; readonly name: string };

const columns = { id: people.id, email: people.email, name: people.name };
const NOW = sql`now()`;

export async function findPersonByEmail(database: Database, email: string): Promise<StoredPerson | null> {
  const rows = await database.select(columns).from(people).where(eq(people.email, email));
  return rows[0] ?? null;
}

export type Profile = StoredPerson & {
  readonly password: string | null;
  readonly isOperator: boolean;
  readonly createdAtMs: number;
};

/** With the hash of the password; `null` if there is none. */
export async function findProfile(database: Database, personId: string): Promise<Profile | null> {
  const rows = await database
    .select({
      ...columns,
      password: accounts.password,
      isOperator: people.isOperator,
      createdAtMs: epochMs(people.createdAt),
    })
    .from(people)
    .leftJoin(accounts, and(eq(accounts.personId, people.id), eq(accounts.providerId, "credential")))
    .where(eq(people.id, personId));
  return rows[0] ?? null;
}

export async function renamePerson(database: Database, personId: string, name: string): Promise<void> {
  await database.update(people).set({ name, updatedAt: NOW }).where(eq(people.id, personId));
}

/** Sets the password and ends every other session, both or neither. False if the session that asks was ended meanwhile. */
export async function replacePassword(
  database: Database,
  { hash, personId, sessionId }: OwnSession & { readonly hash: string },
): Promise<boolean> {
  const own = alias(sessions, "own");
  const isOpen = database.select({ id: own.id }).from(own).where(eq(own.id, sessionId));
  const [{ rows }] = await database.batch([
    database.execute(sql`
      INSERT INTO accounts (id, person_id, provider_id, account_id, password)
      SELECT ${newEntityId()}::uuid, person_id, 'credential', person_id::text, ${hash}
      FROM sessions WHERE id = ${sessionId}::uuid AND person_id = ${personId}::uuid FOR UPDATE
      ON CONFLICT (provider_id, account_id) DO UPDATE SET password = excluded.password, updated_at = now()
      RETURNING id`),
    database.delete(sessions).where(and(isOther({ personId, sessionId }), exists(isOpen))),
  ]);
  return rows.length > 0;
}

export type StoredSession = {
  readonly id: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
};

/** Those that have not ended, newest first. */
export async function listSessions(database: Database, personId: string): Promise<readonly StoredSession[]> {
  return database
    .select({
      id: sessions.id,
      createdAtMs: epochMs(sessions.createdAt),
      expiresAtMs: epochMs(sessions.expiresAt),
    })
    .from(sessions)
    .where(and(eq(sessions.personId, personId), gt(sessions.expiresAt, NOW)))
    .orderBy(desc(sessions.id))
    .limit(100);
}

type OwnSession = { readonly personId: string; readonly sessionId: string };

function isOther({ personId, sessionId }: OwnSession): SQL | undefined {
  return and(eq(sessions.personId, personId), ne(sessions.id, sessionId));
}

/** False if the person has no such session. */
export async function deleteSession(
  database: Database,
  personId: string,
  sessionId: string,
): Promise<boolean> {
  const rows = await database
    .delete(sessions)
    .where(and(eq(sessions.personId, personId), eq(sessions.id, sessionId)))
    .returning({ id: sessions.id });
  return rows.length > 0;
}

export async function deleteOtherSessions(database: Database, own: OwnSession): Promise<void> {
  await database.delete(sessions).where(isOther(own));
}

/** In the log of the account whose sign-in failed; the same statement where there is none. */
export async function recordRefusal(database: Database, email: string): Promise<void> {
  await database.execute(
    sql`WITH recorded AS (SELECT audit_refused_sign_in(${email})) SELECT * FROM recorded`,
  );
}

export async function endSessionOfToken(database: Database, token: string): Promise<void> {
  await database.delete(sessions).where(eq(sessions.token, token));
}

/** Whose session a token is; `null` if it has ended. */
export async function findPersonOfToken(database: Database, token: string): Promise<string | null> {
  const rows = await database
    .select({ personId: sessions.personId })
    .from(sessions)
    .where(and(eq(sessions.token, token), gt(sessions.expiresAt, NOW)));
  return rows[0]?.personId ?? null;
}

/**
 * Deletes an account with all that is its own. Where it is the only owner of workspaces nothing is deleted: returns their
 * names. Takes turns on the workspaces with changes of their owners (member-store.ts).
 */
export async function removePerson(database: Database, personId: string): Promise<readonly string[]> {
  const joined = database
    .select({ id: members.workspaceId })
    .from(members)
    .where(eq(members.personId, personId));
  const owned = database
    .select({ id: members.workspaceId })
    .from(members)
    .where(and(eq(members.personId, personId), eq(members.role, "owner")));
  const other = alias(members, "other");
  const otherOwner = database
    .select({ id: other.id })
    .from(other)
    .where(and(eq(other.workspaceId, workspaces.id), eq(other.role, "owner"), ne(other.personId, personId)));
  const soleOwned = database
    .select({ name: workspaces.name })
    .from(workspaces)
    .where(and(inArray(workspaces.id, owned), isNull(workspaces.deletedAt), notExists(otherOwner)))
    .orderBy(asc(workspaces.name))
    .limit(100);
  const [, refused, , removed] = await database.batch([
    database
      .select({ id: workspaces.id })
      .from(workspaces)
      // Also those that they may be made an owner of meanwhile.
      .where(inArray(workspaces.id, joined))
      .orderBy(asc(workspaces.id))
      .for("no key update"),
    soleOwned,
    // Emails that are on their way make no new account of the old address.
    database.delete(verifications).where(and(notExists(soleOwned), isAbout(database, personId))),
    database
      .delete(people)
      .where(and(eq(people.id, personId), notExists(soleOwned)))
      .returning({ id: people.id }),
  ]);
  return removed.length > 0 ? [] : refused.map(({ name }) => name);
}

/** What better-auth keeps of a link to sign in is JSON with the address. */
function isAbout(database: Database, personId: string): SQL {
  const address = database
    .select({ email: sql`to_json(${people.email})::text` })
    .from(people)
    .where(eq(people.id, personId));
  return sql`strpos(${verifications.value}, (${address})) > 0`;
}
