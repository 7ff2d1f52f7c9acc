/** Finds out whose an API key is. */
import { apiKeys } from "@hopline/db/schema";
import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { type Principal, SCOPES } from "../api-key.ts";
import type { Database } from "./database.ts";

/** The owner of a key that is neither revoked nor expired, or `null`. */
export async function findPrincipal(database: Database, keyHash: string): Promise<Principal | null> {
  const rows = await database
    .select({ workspaceId: apiKeys.workspaceId, scopes: apiKeys.scopes })
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.keyHash, keyHash),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`)),
      ),
    );
  const row = rows[0];
  return row === undefined
    ? null
    : { workspaceId: row.workspaceId, scopes: SCOPES.filter((scope) => row.scopes.includes(scope)) };
}
