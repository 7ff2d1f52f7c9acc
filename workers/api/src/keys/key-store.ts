/** API keys in Postgres. Every statement is scoped by workspace. The keys themselves are not stored, only their SHA-256. */
import { apiKeys } from "@hopline/db/schema";
import { and, eq, gt, isNull, or, type SQL, sql } from "drizzle-orm";
import type { StoredBound } from "@hopline/db/links/bounds";
import { namesOfBound } from "../http/bounds/bound-store.ts";
import type { Scope } from "../http/api-key.ts";
import type { Database, RowOf } from "../database.ts";
import { findRow, isExpected, nextVersion, type Rows, type RowTarget } from "../http/list-rows.ts";
import { epochMs, epochMsOrNull } from "../instant.ts";

export type NewKey = {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly prefix: string;
  readonly keyHash: string;
  readonly scopes: readonly Scope[];
  /** RFC 3339. */
  readonly expiresAt: string | null;
  /** `null`: it has no maker. */
  readonly makerId: string | null;
  readonly bounds: StoredBound | null;
};

const columns = {
  id: apiKeys.id,
  name: apiKeys.name,
  prefix: apiKeys.prefix,
  scopes: apiKeys.scopes,
  expiresAtMs: epochMsOrNull(apiKeys.expiresAt),
  revokedAtMs: epochMsOrNull(apiKeys.revokedAt),
  /** To the hour; see authenticate.ts. */
  lastUsedAtMs: epochMsOrNull(apiKeys.lastUsedAt),
  makerId: apiKeys.makerId,
  // Spelled out: drizzle omits the table's name in a statement without joins.
  bounds: namesOfBound(sql`api_keys.bounds`),
  version: apiKeys.version,
  createdAtMs: epochMs(apiKeys.createdAt),
};
export type StoredKey = RowOf<typeof columns>;

function isKeyOf(workspaceId: string, keyId: string): SQL | undefined {
  return and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.id, keyId));
}

function isTarget({ workspaceId, id, ifMatch }: RowTarget): SQL | undefined {
  return and(isKeyOf(workspaceId, id), isExpected(apiKeys.version, ifMatch));
}

/** `null` if an earlier attempt of the same request has created it. */
export async function insertKey(database: Database, key: NewKey): Promise<StoredKey | null> {
  const rows = await database
    .insert(apiKeys)
    .values({ ...key, scopes: [...key.scopes] })
    .onConflictDoNothing({ target: apiKeys.id })
    .returning(columns);
  return rows[0] ?? null;
}

export function keysOf(database: Database, workspaceId: string): Rows<StoredKey> {
  return {
    where: eq(apiKeys.workspaceId, workspaceId),
    id: apiKeys.id,
    name: apiKeys.name,
    nameOf: ({ name }) => name,
    searched: [apiKeys.name, apiKeys.prefix],
    select: (where) => database.select(columns).from(apiKeys).where(where),
  };
}

export function findKey(database: Database, workspaceId: string, id: string): Promise<StoredKey | null> {
  return findRow(keysOf(database, workspaceId), id);
}

/** What is absent stays as it is. */
export type KeyChange = {
  readonly name?: string | undefined;
  /** Both can only give rights up. */
  readonly scopes?: readonly Scope[] | undefined;
  /** RFC 3339. */
  readonly expiresAt?: string | null | undefined;
};

/** `null`: there is no such key in that version, or this would give it more. */
export async function updateKey(
  database: Database,
  target: RowTarget,
  { name, scopes, expiresAt }: KeyChange,
): Promise<StoredKey | null> {
  const rows = await database
    .update(apiKeys)
    .set({
      name,
      scopes: scopes && [...new Set(scopes)],
      expiresAt,
      version: nextVersion(apiKeys.version),
    })
    .where(
      and(
        isTarget(target),
        scopes === undefined
          ? undefined
          : sql`('admin' = ANY(${apiKeys.scopes}) OR ${apiKeys.scopes} @> ${sql.param([...scopes])}::text[])`,
        expiresAt === undefined
          ? undefined
          : sql`coalesce(${expiresAt}::timestamptz, 'infinity') <= coalesce(${apiKeys.expiresAt}, 'infinity')`,
      ),
    )
    .returning(columns);
  return rows[0] ?? null;
}

export type Rotation = Pick<NewKey, "id" | "workspaceId" | "prefix" | "keyHash" | "makerId"> & {
  /** The key that ends. */
  readonly oldId: string;
  readonly graceSeconds: number;
  /** RFC 3339: the new key ends then at the latest; `null`: whenever the old one would have. */
  readonly latestEnd: string | null;
};

/**
 * Another key with the name, the scopes, the bounds and the end of one that works, made by the caller, who learns it now; that one
 * ends after the grace period. `null` if it does not work any more. Rejects when an earlier attempt of the same request has done it (`api_keys_pkey`).
 */
export async function rotateKey(database: Database, rotation: Rotation): Promise<StoredKey | null> {
  const { id, oldId, workspaceId, prefix, keyHash, makerId, graceSeconds, latestEnd } = rotation;
  const works = and(
    isKeyOf(workspaceId, oldId),
    isNull(apiKeys.revokedAt),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`)),
  );
  const [, , rows] = await database.batch([
    database.execute(sql`
      INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes, maker_id, expires_at, bounds)
      SELECT ${id}::uuid, workspace_id, name, ${prefix}, decode(${keyHash}, 'hex'), scopes, ${makerId}::uuid,
        least(expires_at, ${latestEnd}::timestamptz),
        CASE WHEN bounds ? 'own' THEN jsonb_set(bounds, '{own}', (bounds -> 'own') || to_jsonb(${id}::text)) ELSE bounds END
      FROM api_keys WHERE ${works}`),
    database
      .update(apiKeys)
      .set({
        expiresAt: sql`least(${apiKeys.expiresAt}, now() + ${graceSeconds}::int * interval '1 second')`,
        version: nextVersion(apiKeys.version),
      })
      .where(works),
    database.select(columns).from(apiKeys).where(isKeyOf(workspaceId, id)),
  ]);
  return rows[0] ?? null;
}

/** Revokes a key for good; the time of an earlier revocation stays. False when there is no such key in that version. */
export async function revokeKey(database: Database, target: RowTarget): Promise<boolean> {
  const rows = await database
    .update(apiKeys)
    .set({
      revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())`,
      version: nextVersion(apiKeys.version),
    })
    .where(isTarget(target))
    .returning({ id: apiKeys.id });
  return rows.length === 1;
}
