/** Whose session it is, in which workspace, and in which role: part of the statement that every request begins with. */
import { type SQL, sql } from "drizzle-orm";
import { SESSION_KEYS_LIVE } from "../http/authenticate.ts";
import { parseRole } from "../http/roles.ts";
import type { Sessions, SignedIn } from "../http/signed-in.ts";
import type { PeopleSettings } from "./people-settings.ts";
import { isAtApp, isSafeToAnswer } from "./same-origin.ts";
import { readSessionToken } from "./session-cookie.ts";

/** Cookies count only at the application's origin, and for a change only from its own pages. */
export function createSessions(settings: PeopleSettings): Sessions {
  return {
    readToken: async (request) =>
      isAtApp(request, settings) && isSafeToAnswer(request, settings)
        ? readSessionToken(request.headers.get("cookie"), settings)
        : null,
    select: selectSignedIn,
    read: readSignedIn,
  };
}

const FRESH_FOR: SQL = sql`interval '15 minutes'`;

/** No row when the session has ended. Where the person is not in the workspace, its columns are NULL. */
function selectSignedIn(token: string, wantedWorkspaceId: string | null): SQL {
  return sql`SELECT 'person:' || sessions.person_id AS subject, acting.workspace_id, NULL::text[] AS scopes,
      now() + ${SESSION_KEYS_LIVE} AS keys_until,
      jsonb_build_object('personId', sessions.person_id, 'sessionId', sessions.id, 'role', acting.role,
        'isFresh', sessions.created_at > now() - ${FRESH_FOR}) AS person,
      false AS is_use_due, NULL::uuid AS maker_id, NULL AS maker_role, NULL::jsonb AS bounds, acting.bounds AS person_bounds
    FROM sessions LEFT JOIN (
      SELECT workspace_id, person_id, role, bounds FROM members
      JOIN workspaces ON workspaces.id = workspace_id AND deleted_at IS NULL
      WHERE workspace_id = ${wantedWorkspaceId}::uuid
    ) AS acting ON acting.person_id = sessions.person_id
    WHERE token = ${token} AND expires_at > now()`;
}

/** The column `person` of that statement; `null` where the caller is none. */
function readSignedIn(value: unknown): SignedIn | null {
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
