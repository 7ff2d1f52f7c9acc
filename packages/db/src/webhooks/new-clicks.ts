/** Clicks that the cursor of the webhooks has not reached, and that one of them may want. */
import { type Sql, sql } from "../sql.ts";

/** Clicks that reach the database later than this are not sent. Keeps statements off compressed chunks. */
export const SENT_WITHIN: Sql = sql`interval '7 days'`;

/**
 * Whether there are any. Workspaces are compared as text, or the planner would read all that a workspace has by its index instead of
 * what is new by the other.
 */
export const HAS_NEW_CLICKS: Sql = sql`(
  WITH listening AS MATERIALIZED (
    SELECT workspace_id::text AS id, from_xid FROM webhook_endpoints
    WHERE off_since IS NULL AND deleted_at IS NULL AND events && '{click,click.summary}'
  )
  SELECT EXISTS (SELECT FROM listening) AND EXISTS (
    SELECT FROM click_events
    WHERE inserted_xid >= (SELECT greatest(next_xid, (SELECT min(from_xid) FROM listening)) FROM webhook_cursor)
      AND clicked_at > now() - ${SENT_WITHIN} AND workspace_id::text = ANY(ARRAY(SELECT id FROM listening))
  ))`;
