/** Passkeys of people in Postgres: what is public about them. Each change is one statement. */
import { passkeys, people } from "@hopline/db/schema";
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Database, RowOf } from "../../database.ts";
import { newEntityId } from "../../http/entity-id.ts";
import { epochMs, epochMsOrNull } from "../../instant.ts";

const columns = {
  id: passkeys.id,
  name: passkeys.name,
  /** Whether it is on several of the person's devices, or can be. */
  isSynced: passkeys.isSynced,
  createdAtMs: epochMs(passkeys.createdAt),
  lastUsedAtMs: epochMsOrNull(passkeys.lastUsedAt),
};
export type StoredPasskey = RowOf<typeof columns>;

const keyColumns = {
  /** The authenticator's name for it; base64url. */
  credentialId: passkeys.credentialId,
  /** COSE; base64url. */
  publicKey: passkeys.publicKey,
  /** How often it was used, where the authenticator counts. */
  counter: passkeys.counter,
  /** How a browser reaches the authenticator: `usb`, `internal`. */
  transports: passkeys.transports,
};
/** A passkey, as far as checking it goes. */
export type PasskeyKey = RowOf<typeof keyColumns>;

function isOwn(personId: string, passkeyId: string): SQL | undefined {
  return and(eq(passkeys.personId, personId), eq(passkeys.id, passkeyId));
}

/** More devices than a person has. */
export const MAX_PASSKEYS = 20;

export type NewPasskey = PasskeyKey & {
  readonly personId: string;
  readonly name: string;
  readonly isSynced: boolean;
};

/** `null` if the person has too many, or the authenticator's name for it is taken. Two at once take turns on the person's row. */
export async function insertPasskey(
  database: Database,
  { personId, name, credentialId, publicKey, counter, transports, isSynced }: NewPasskey,
): Promise<StoredPasskey | null> {
  const id = newEntityId();
  await database.batch([
    database.select({ id: people.id }).from(people).where(eq(people.id, personId)).for("no key update"),
    database.execute(sql`
      INSERT INTO passkeys (id, person_id, name, credential_id, public_key, counter, transports, is_synced)
      SELECT ${id}::uuid, ${personId}::uuid, ${name}, ${credentialId}, ${publicKey}, ${counter}::bigint,
        ${sql.param([...transports])}::text[], ${isSynced}::boolean
      WHERE (SELECT count(*) FROM passkeys WHERE person_id = ${personId}::uuid) < ${MAX_PASSKEYS}::int
      ON CONFLICT (credential_id) DO NOTHING`),
  ]);
  return findOwnPasskey(database, personId, id);
}

/** Newest first. */
export async function listPasskeys(database: Database, personId: string): Promise<readonly StoredPasskey[]> {
  return database
    .select(columns)
    .from(passkeys)
    .where(eq(passkeys.personId, personId))
    .orderBy(desc(passkeys.id));
}

export async function findOwnPasskey(
  database: Database,
  personId: string,
  passkeyId: string,
): Promise<StoredPasskey | null> {
  const rows = await database.select(columns).from(passkeys).where(isOwn(personId, passkeyId));
  return rows[0] ?? null;
}

/** What a browser is told, so that it makes no second passkey on the same device. */
export async function listCredentials(
  database: Database,
  personId: string,
): Promise<readonly Pick<PasskeyKey, "credentialId" | "transports">[]> {
  const { credentialId, transports } = keyColumns;
  return database.select({ credentialId, transports }).from(passkeys).where(eq(passkeys.personId, personId));
}

type Naming = {
  readonly personId: string;
  readonly passkeyId: string;
  /** `undefined`: it keeps the one that it has at that moment. */
  readonly name: string | undefined;
};

/** `null` if the person has no such passkey. */
export async function renamePasskey(
  database: Database,
  { personId, passkeyId, name }: Naming,
): Promise<StoredPasskey | null> {
  const rows = await database
    .update(passkeys)
    .set({ name: name ?? sql`${passkeys.name}` })
    .where(isOwn(personId, passkeyId))
    .returning(columns);
  return rows[0] ?? null;
}

export type KnownPasskey = PasskeyKey & {
  readonly id: string;
  readonly personId: string;
  /** Of the person. */
  readonly email: string;
};

export async function findPasskey(database: Database, credentialId: string): Promise<KnownPasskey | null> {
  const rows = await database
    .select({ id: passkeys.id, personId: passkeys.personId, email: people.email, ...keyColumns })
    .from(passkeys)
    .innerJoin(people, eq(people.id, passkeys.personId))
    .where(eq(passkeys.credentialId, credentialId));
  return rows[0] ?? null;
}

export async function markUsed(
  database: Database,
  { id, counter, isSynced }: { readonly id: string; readonly counter: number; readonly isSynced: boolean },
): Promise<void> {
  await database
    .update(passkeys)
    .set({ counter: sql`greatest(${passkeys.counter}, ${counter})`, isSynced, lastUsedAt: sql`now()` })
    .where(eq(passkeys.id, id));
}
