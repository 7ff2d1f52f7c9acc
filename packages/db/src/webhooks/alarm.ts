/**
 * The alarm of webhooks: when the API looks for deliveries next. Whoever sets it sends a message that arrives by then; what already
 * rings soon enough is not set again, so that any number of batches cost one message. A lost message costs a minute.
 */
import type { RunSql, SqlStatement } from "../neon-client.ts";

/** For how long one message is enough. Changes of links are looked for at its end, clicks at once: they have waited in a queue. */
export const WAKE_AFTER_SECONDS = 1;

const CAN_RING = `(rings_at <= now() OR rings_at > now() + $1::float8 * interval '1 second')`;

/** Returns a row if a message has to be sent. */
export function setAlarm(inSeconds: number): SqlStatement {
  return {
    text: `UPDATE webhook_alarm SET rings_at = now() + $1::float8 * interval '1 second' WHERE ${CAN_RING} RETURNING 1`,
    parameters: [inSeconds],
  };
}

/** The same after a change of links or domains, if somebody in the workspace listens to those. */
export function setAlarmForChanges(workspaceId: string): SqlStatement {
  return {
    text: `
      UPDATE webhook_alarm SET rings_at = now() + $1::float8 * interval '1 second'
      WHERE ${CAN_RING} AND EXISTS (
        SELECT FROM webhook_endpoints WHERE workspace_id = $2::uuid AND off_since IS NULL AND deleted_at IS NULL
          AND NOT events <@ '{click,click.summary}'
      )
      RETURNING 1`,
    parameters: [WAKE_AFTER_SECONDS, workspaceId],
  };
}

/** Nothing is set while a run looks every second anyway: until `busy_until`. */
const SET_FOR_CLICKS = `
  WITH listening AS MATERIALIZED (
    SELECT DISTINCT workspace_id FROM webhook_endpoints
    WHERE off_since IS NULL AND deleted_at IS NULL AND events && '{click,click.summary}'
  ),
  rung AS (
    UPDATE webhook_alarm SET rings_at = now() + $1::float8 * interval '1 second'
    WHERE busy_until <= now() AND ${CAN_RING} AND EXISTS (
      SELECT FROM links JOIN listening USING (workspace_id) WHERE links.id = ANY($2::uuid[])
    )
    RETURNING 1
  )
  SELECT EXISTS (SELECT FROM listening) AS "isListening", EXISTS (SELECT FROM rung) AS "isRung"`;

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
  const [row] = await runSql(SET_FOR_CLICKS, [WAKE_AFTER_SECONDS, linkIds], timeoutMs);
  return { isListening: row?.["isListening"] === true, isRung: row?.["isRung"] === true };
}
