/**
 * Whether the caller of an open stream may still read it: part of each poll, so that a member who was removed sees nothing more. A
 * JWT tells by itself when it ends, and is not asked about again: a stream lasts a minute.
 */
import { type Sql, sql } from "@hopline/db/sql";
import { keyIdOf, type Principal } from "../http/api-key.ts";
import type { SignedIn } from "../people/signed-in.ts";

export type Caller = {
  readonly principal: Pick<Principal, "subject" | "workspaceId">;
  /** `null` for an API key and a JWT. */
  readonly person: Pick<SignedIn, "sessionId"> | null;
};

/** A condition. */
export function isStillAllowed({ principal: { subject, workspaceId }, person }: Caller): Sql {
  const isThere = sql`EXISTS (SELECT FROM workspaces WHERE id = ${workspaceId}::uuid AND deleted_at IS NULL)`;
  if (person !== null) {
    return sql`${isThere} AND EXISTS (
      SELECT FROM sessions JOIN members ON members.person_id = sessions.person_id
      WHERE sessions.id = ${person.sessionId}::uuid AND expires_at > now() AND workspace_id = ${workspaceId}::uuid)`;
  }
  const keyId = keyIdOf(subject);
  return keyId === null
    ? isThere
    : sql`${isThere} AND EXISTS (
      SELECT FROM api_keys WHERE id = ${keyId}::uuid AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
        AND scopes && '{analytics:read,admin}' AND (maker_id IS NULL OR EXISTS (
          SELECT FROM members WHERE person_id = maker_id AND members.workspace_id = api_keys.workspace_id)))`;
}
