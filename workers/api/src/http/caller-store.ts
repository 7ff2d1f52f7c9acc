/** Finds out whose a request is and counts it, in one statement. */
import { sql, type SQL } from "drizzle-orm";
import { type Principal, SCOPES } from "./api-key.ts";
import type { Session } from "./session-token.ts";
import type { Database } from "../database.ts";

export type Caller = {
  readonly principal: Principal;
  /** This request included. */
  readonly requestsInWindow: number;
  /** Whole seconds until the count starts again, 1 at least. */
  readonly windowEndsInSeconds: number;
};

/** The owner of a key that is neither revoked nor expired, or `null`. */
export function countRequestOfKey(database: Database, keyHash: string): Promise<Caller | null> {
  return countRequest(
    database,
    sql`SELECT 'key:' || id AS subject, workspace_id, scopes FROM api_keys
      WHERE key_hash = decode(${keyHash}, 'hex') AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > now())`,
  );
}

/** The caller behind a verified session, or `null` when its workspace does not exist. */
export function countRequestOfSession(database: Database, session: Session): Promise<Caller | null> {
  return countRequest(
    database,
    sql`SELECT ${`jwt:${session.subject}`} AS subject, id AS workspace_id,
        ${sql.param([...session.scopes])}::text[] AS scopes
      FROM workspaces WHERE id = ${session.workspaceId}::uuid`,
  );
}

async function countRequest(database: Database, findCaller: SQL): Promise<Caller | null> {
  const isSameWindow = sql`counts.window_started_at > now() - interval '60 seconds'`;
  const { rows } = await database.execute(sql`
    WITH caller AS (${findCaller}),
    counted AS (
      INSERT INTO request_counts AS counts (subject, window_started_at, requests)
      SELECT subject, now(), 1 FROM caller
      ON CONFLICT (subject) DO UPDATE SET
        requests = CASE WHEN ${isSameWindow} THEN counts.requests + 1 ELSE 1 END,
        window_started_at = CASE WHEN ${isSameWindow} THEN counts.window_started_at ELSE now() END
      RETURNING requests, window_started_at
    )
    SELECT workspace_id, scopes, requests,
      greatest(1, ceil(extract(epoch FROM window_started_at + interval '60 seconds' - now())))::int AS ends_in_s
    FROM caller, counted`);
  const row = rows[0];
  if (row === undefined) {
    return null;
  }
  const scopes: unknown = row["scopes"];
  return {
    principal: {
      workspaceId: String(row["workspace_id"]),
      scopes: SCOPES.filter((scope) => Array.isArray(scopes) && scopes.includes(scope)),
    },
    requestsInWindow: Number(row["requests"]),
    windowEndsInSeconds: Number(row["ends_in_s"]),
  };
}
