/**
 * Whether the caller of a request that goes on may still do what they began: part of each poll of a stream, and asked between the
 * parts of a file, so that a member who was removed reads and writes nothing more. A JWT tells by itself when it ends.
 */
import { type Sql, sql } from "@hopline/db/sql";
import type { Context } from "hono";
import type { Database } from "./database.ts";
import { toSql } from "./to-sql.ts";
import { keyIdOf, type Principal, type Scope } from "./http/api-key.ts";
import { type ApiContext, ASK_AGAIN_MS } from "./http/authenticate.ts";
import { ProblemError } from "./http/problem.ts";
import { LEAST_ROLE, rolesFrom } from "./http/roles.ts";
import type { SignedIn } from "./http/signed-in.ts";

export type Caller = {
  readonly principal: Pick<Principal, "subject" | "workspaceId" | "memberBound">;
  /** `null` for an API key and a JWT. */
  readonly person: Pick<SignedIn, "sessionId"> | null;
};

/** A condition. */
export function isStillAllowed(
  { principal: { subject, workspaceId, memberBound }, person }: Caller,
  scope: Scope,
): Sql {
  const isThere = sql`EXISTS (SELECT FROM workspaces WHERE id = ${workspaceId}::uuid AND deleted_at IS NULL)`;
  // Who has got other bounds since may see less.
  const isBounded = sql`members.bounds IS NOT DISTINCT FROM ${memberBound && JSON.stringify(memberBound)}::jsonb`;
  const hasRole = sql`role = ANY(${[...rolesFrom(LEAST_ROLE[scope])]}::text[]) AND ${isBounded}`;
  if (person !== null) {
    return sql`${isThere} AND EXISTS (
      SELECT FROM sessions JOIN members ON members.person_id = sessions.person_id
      WHERE sessions.id = ${person.sessionId}::uuid AND expires_at > now() AND workspace_id = ${workspaceId}::uuid AND ${hasRole})`;
  }
  const keyId = keyIdOf(subject);
  return keyId === null
    ? isThere
    : sql`${isThere} AND EXISTS (
      SELECT FROM api_keys WHERE id = ${keyId}::uuid AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
        AND scopes && ${[scope, "admin"]}::text[] AND (maker_id IS NULL OR EXISTS (
          SELECT FROM members WHERE person_id = maker_id AND members.workspace_id = api_keys.workspace_id AND ${hasRole})))`;
}

/** What a file calls between its parts. It throws `ProblemError` scope_missing where the caller may not go on. */
export function watchRights(
  context: Context<ApiContext>,
  scope: Scope,
  { database, nowMs }: { readonly database: Database; readonly nowMs: () => number },
): () => Promise<void> {
  const caller = { principal: context.get("principal"), person: context.get("person") };
  let askedAtMs = context.get("authenticated").atMs;
  return async () => {
    if (nowMs() - askedAtMs < ASK_AGAIN_MS) {
      return;
    }
    askedAtMs = nowMs();
    const hasEnded = (caller.principal.endsAtMs ?? Number.POSITIVE_INFINITY) <= askedAtMs;
    const asked = sql`SELECT ${isStillAllowed(caller, scope)} AS is_allowed`;
    const { rows } = await database.execute(toSql(asked));
    if (hasEnded || rows[0]?.["is_allowed"] !== true) {
      throw new ProblemError("scope_missing");
    }
  };
}
