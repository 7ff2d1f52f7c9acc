/**
 * The alarm of webhooks: when the API looks for deliveries next. Code that sets it sends a message that arrives by then. An alarm that
 * is due as soon is not set again, so any number of batches cost one message. A lost message costs a minute.
 */
import type { RunSql } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";

/** For how long one message is enough. Changes of links are looked for at its end, clicks at once: they have waited in a queue. */
export const WAKE_AFTER_SECONDS = 1;

/** For how long a consumer remembers that no webhook wants clicks. Runs look for clicks of newer webhooks without an alarm. */
export const NO_LISTENER_FOR_SECONDS = 10;

const isNotDueBefore = (inSeconds: number) => sql`
  (rings_at <= now() OR rings_at > now() + ${inSeconds}::float8 * interval '1 second')`;

const setIfLater = (inSeconds: number) => sql`
  UPDATE webhook_alarm SET rings_at = now() + ${inSeconds}::float8 * interval '1 second' WHERE ${isNotDueBefore(inSeconds)}`;

/** Returns a row if a message has to be sent. */
export function setAlarm(inSeconds: number): Sql {
  return sql`${setIfLater(inSeconds)} RETURNING 1`;
}

/** The same after a change of links or domains, if a webhook of the workspace listens to those. */
export function setAlarmForChanges(workspaceId: string): Sql {
  return sql`
    ${setIfLater(WAKE_AFTER_SECONDS)} AND EXISTS (
      SELECT FROM webhook_endpoints WHERE workspace_id = ${workspaceId}::uuid AND off_since IS NULL AND deleted_at IS NULL
        AND NOT events <@ '{click,click.summary}'
    )
    RETURNING 1`;
}

export type AlarmForClicks = {
  /** A webhook wants clicks, of any workspace. */
  readonly isListening: boolean;
  /** A message has to be sent. */
  readonly isAlarmSet: boolean;
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
    newly_set AS (
      ${setIfLater(WAKE_AFTER_SECONDS)} AND busy_until <= now() AND EXISTS (
        SELECT FROM links JOIN listening USING (workspace_id) WHERE links.id = ANY(${linkIds}::uuid[])
      )
      RETURNING 1
    )
    SELECT EXISTS (SELECT FROM listening) AS "isListening", EXISTS (SELECT FROM newly_set) AS "isAlarmSet"`;
  const [row] = await runSql(statement, timeoutMs);
  return { isListening: row?.["isListening"] === true, isAlarmSet: row?.["isAlarmSet"] === true };
}
