/** Whose session it is, in which workspace, and in which role: part of the statement that every request begins with. */
import { type SQL, sql } from "drizzle-orm";
import { NIL } from "uuid";
import { parsePublicId } from "../http/entity-id.ts";
import { parseRole, type Role } from "./roles.ts";

export type SignedIn = {
  readonly personId: string;
  readonly sessionId: string;
  /** So shortly after signing in, nobody else is at the keyboard. */
  readonly isFresh: boolean;
  /** In the workspace of the request; `null` if there is none, or the person is not in it. */
  readonly role: Role | null;
};

const FRESH_FOR: SQL = sql`interval '15 minutes'`;

/** A session is short, and a key that it makes must not outlast all memory of it. */
export const SESSION_KEYS_LIVE: SQL = sql`interval '90 days'`;

/**
 * The workspace that a path names: its id, or one that belongs to nobody if it is malformed; `null` if the path names none. A
 * person acts in that one, and otherwise in the one they have switched to.
 */
export function readWantedWorkspace(path: string): string | null {
  const [, id] = /^\/api\/v1\/workspaces\/([^/]+)/.exec(path) ?? [];
  return id === undefined ? null : (parsePublicId("ws", id) ?? NIL);
}

/** No row when the session has ended. Without a workspace of one's own to act in, its columns are NULL. */
export function selectSignedIn(token: string, wantedWorkspaceId: string | null): SQL {
  return sql`SELECT 'person:' || sessions.person_id AS subject, acting.workspace_id, NULL::text[] AS scopes,
      now() + ${SESSION_KEYS_LIVE} AS keys_until,
      jsonb_build_object('personId', sessions.person_id, 'sessionId', sessions.id, 'role', acting.role,
        'isFresh', sessions.created_at > now() - ${FRESH_FOR}) AS person,
      false AS is_use_due, NULL::uuid AS maker_id, NULL AS maker_role
    FROM sessions LEFT JOIN LATERAL (
      SELECT workspace_id, role FROM members JOIN workspaces ON workspaces.id = workspace_id AND deleted_at IS NULL
      WHERE members.person_id = sessions.person_id
        AND (${wantedWorkspaceId}::uuid IS NULL OR workspace_id = ${wantedWorkspaceId}::uuid)
      ORDER BY workspace_id IS NOT DISTINCT FROM active_workspace_id DESC, members.created_at, workspace_id LIMIT 1
    ) AS acting ON true
    WHERE token = ${token} AND expires_at > now()`;
}

/** The column `person` of that statement; `null` where the caller is none. */
export function readSignedIn(value: unknown): SignedIn | null {
  if (typeof value !== "object" || value === null) {
    return null;
  }
  const { personId, sessionId, role, isFresh } = value as { readonly [name: string]: unknown };
  return {
    personId: String(personId),
    sessionId: String(sessionId),
    role: parseRole(role),
    isFresh: isFresh === true,
  };
}
