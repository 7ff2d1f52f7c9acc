/**
 * The alarm of webhooks: when the API looks for deliveries next. Whoever sets it sends a message that arrives by then; what already
 * rings soon enough is not set again, so that any number of batches cost one message. A lost message costs a minute.
 */
import type { RunSql } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";

/** For how long one message is enough. Changes of links are looked for at its end, clicks at once: they have waited in a queue. */
export const WAKE_AFTER_SECONDS = 1;

/**
 * For how long a consumer that was told that nobody wants clicks does not ask again. A webhook that is newer is not known everywhere:
 * runs look for its clicks without an alarm.
 */
export const NOBODY_FOR_SECONDS = 10;

const canRing = (inSeconds: number) => sql`
  (rings_at <= now() OR rings_at > now() + ${inSeconds}::float8 * interval '1 second')`;

const ring = (inSeconds: number) => sql`
  UPDATE webhook_alarm SET rings_at = now() + ${inSeconds}::float8 * interval '1 second' WHERE ${canRing(inSeconds)}`;

/** Returns a row if a message has to be sent. */
export function setAlarm(inSeconds: number): Sql {
  return sql`${ring(inSeconds)} RETURNING 1`;
}

/** The same after a change of links or domains, if somebody in the workspace listens to those. */
export function setAlarmForChanges(workspaceId: string): Sql {
  return sql`
    ${ring(WAKE_AFTER_SECONDS)} AND EXISTS (
      SELECT FROM webhook_endpoints WHERE workspace_id = ${workspaceId}::uuid AND off_since IS NULL AND deleted_at IS NULL
        AND NOT events <@ '{click,click.summary}'
    )
    RETURNING 1`;
}

export type AlarmForClicks = {
  /** Somebody wants clicks of some workspace. */
  readonly isListening: boolean;
  /** A message has to be sent. */
  readonly isRung: boolean;
};

/** Call it after the clicks of these links are committed: a run that starts later then sees them. Rejects as `RunSql` does. */
export async function setAlarmForClicks(
  runSql: RunSql,
  linkIds: readonly string[],
  timeoutMs: number,
): Promise<AlarmForClicks> {
  // Nothing is set while a run looks every second anyway: until `busy_until`.
  const statement = sql`
    WITH listening AS MATERIALIZED (
      SELECT DISTINCT workspace_id FROM webhook_endpoints
      WHERE off_since IS NULL AND deleted_at IS NULL AND events && '{click,click.summary}'
    ),
    rung AS (
      ${ring(WAKE_AFTER_SECONDS)} AND busy_until <= now() AND EXISTS (
        SELECT FROM links JOIN listening USING (workspace_id) WHERE links.id = ANY(${linkIds}::uuid[])
      )
      RETURNING 1
    )
    SELECT EXISTS (SELECT FROM listening) AS "isListening", EXISTS (SELECT FROM rung) AS "isRung"`;
  const [row] = await runSql(statement, timeoutMs);
  return { isListening: row?.["isListening"] === true, isRung: row?.["isRung"] === true };
}
