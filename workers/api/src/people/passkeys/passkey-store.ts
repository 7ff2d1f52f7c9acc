/** Passkeys of people in Postgres: what is public about them. Each change is one statement. */
import { sql } from "drizzle-orm";
import type { Database } from "../../database.ts";
import { newEntityId } from "../../http/entity-id.ts";

export type StoredPasskey = {
  readonly id: string;
  readonly name: string;
  /** Whether it is on several of the person's devices, or can be. */
  readonly isSynced: boolean;
  readonly createdAtMs: number;
  /** `null`: never. */
  readonly lastUsedAtMs: number | null;
};

const COLUMNS = sql`id, name, is_synced, extract(epoch FROM created_at) * 1000 AS created_at_ms,
  extract(epoch FROM last_used_at) * 1000 AS last_used_at_ms`;

/** More devices than a person has. */
export const MAX_PASSKEYS = 20;

/** A passkey, as far as checking it goes. */
export type PasskeyKey = {
  /** The authenticator's name for it; base64url. */
  readonly credentialId: string;
  /** COSE; base64url. */
  readonly publicKey: string;
  /** How often it was used, where the authenticator counts. */
  readonly counter: number;
  /** How a browser reaches the authenticator: `usb`, `internal`. */
  readonly transports: readonly string[];
};

export type NewPasskey = PasskeyKey & {
  readonly personId: string;
  readonly name: string;
  readonly isSynced: boolean;
};

/** `null` if the person has too many, or the authenticator's name for it is taken. */
export async function insertPasskey(
  database: Database,
  { personId, name, isSynced, credentialId, publicKey, counter, transports }: NewPasskey,
): Promise<StoredPasskey | null> {
  const { rows } = await database.execute(sql`
    INSERT INTO passkeys (id, person_id, name, credential_id, public_key, counter, transports, is_synced)
    SELECT ${newEntityId()}::uuid, ${personId}::uuid, ${name}, ${credentialId}, ${publicKey}, ${counter},
      ${sql.param([...transports])}::text[], ${isSynced}
    WHERE (SELECT count(*) FROM passkeys WHERE person_id = ${personId}::uuid) < ${MAX_PASSKEYS}
    ON CONFLICT (credential_id) DO NOTHING RETURNING ${COLUMNS}`);
  return rows[0] === undefined ? null : toPasskey(rows[0]);
}

/** Newest first. */
export async function listPasskeys(database: Database, personId: string): Promise<readonly StoredPasskey[]> {
  const { rows } = await database.execute(
    sql`SELECT ${COLUMNS} FROM passkeys WHERE person_id = ${personId}::uuid ORDER BY id DESC`,
  );
  return rows.map(toPasskey);
}

export async function findOwnPasskey(
  database: Database,
  personId: string,
  passkeyId: string,
): Promise<StoredPasskey | null> {
  const { rows } = await database.execute(
    sql`SELECT ${COLUMNS} FROM passkeys WHERE person_id = ${personId}::uuid AND id = ${passkeyId}::uuid`,
  );
  return rows[0] === undefined ? null : toPasskey(rows[0]);
}

/** What a browser is told, so that it makes no second passkey on the same device. */
export async function listCredentials(
  database: Database,
  personId: string,
): Promise<readonly Pick<PasskeyKey, "credentialId" | "transports">[]> {
  const { rows } = await database.execute(
    sql`SELECT credential_id, transports FROM passkeys WHERE person_id = ${personId}::uuid`,
  );
  return rows.map((row) => ({
    credentialId: String(row["credential_id"]),
    transports: toTexts(row["transports"]),
  }));
}

type Naming = { readonly personId: string; readonly passkeyId: string; readonly name: string };

/** `null` if the person has no such passkey. */
export async function renamePasskey(
  database: Database,
  { personId, passkeyId, name }: Naming,
): Promise<StoredPasskey | null> {
  const { rows } = await database.execute(sql`
    UPDATE passkeys SET name = ${name} WHERE person_id = ${personId}::uuid AND id = ${passkeyId}::uuid RETURNING ${COLUMNS}`);
  return rows[0] === undefined ? null : toPasskey(rows[0]);
}

export type KnownPasskey = PasskeyKey & { readonly id: string; readonly personId: string };

export async function findPasskey(database: Database, credentialId: string): Promise<KnownPasskey | null> {
  const { rows } = await database.execute(sql`
    SELECT id, person_id, credential_id, public_key, counter, transports
    FROM passkeys WHERE credential_id = ${credentialId}`);
  const row = rows[0];
  return row === undefined
    ? null
    : {
        id: String(row["id"]),
        personId: String(row["person_id"]),
        credentialId: String(row["credential_id"]),
        publicKey: String(row["public_key"]),
        counter: Number(row["counter"]),
        transports: toTexts(row["transports"]),
      };
}

export async function markUsed(
  database: Database,
  { id, counter, isSynced }: { readonly id: string; readonly counter: number; readonly isSynced: boolean },
): Promise<void> {
  await database.execute(sql`
    UPDATE passkeys SET counter = greatest(counter, ${counter}), is_synced = ${isSynced}, last_used_at = now()
    WHERE id = ${id}::uuid`);
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function toPasskey(row: { readonly [name: string]: unknown }): StoredPasskey {
  const lastUsedAtMs = row["last_used_at_ms"];
  return {
    id: String(row["id"]),
    name: String(row["name"]),
    isSynced: row["is_synced"] === true,
    createdAtMs: Math.floor(Number(row["created_at_ms"])),
    lastUsedAtMs: lastUsedAtMs === null ? null : Math.floor(Number(lastUsedAtMs)),
  };
}
