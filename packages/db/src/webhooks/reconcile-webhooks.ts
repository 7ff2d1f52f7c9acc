/** Whether webhooks' clicks add up: what was counted, what is in their rows, and the clicks themselves. */
import type { RunSql } from "../neon-client.ts";
import { sql } from "../sql.ts";

export type WebhookAccount = {
  /** UUID. */
  readonly endpointId: string;
  /** Since the endpoint was made: matched = delivered + waiting + given up. */
  readonly matched: number;
  readonly delivered: number;
  readonly waiting: number;
  readonly givenUp: number;
  /** Clicks of the last day that match and are in no row; `null` where that can't be known: of tags and sums. */
  readonly missing: number | null;
  /** Clicks of the last day that are in more than one row. */
  readonly doubled: number;
};

/**
 * Replayed rows stay rows, so a click is in one. Clicks that the cursor has not reached yet are not missing. EXCEPT, because the planner
 * takes lists for far shorter than they are: it joined them by comparing each click with each that is listed.
 */
const ACCOUNTS = sql`
  WITH listed AS MATERIALIZED (
    SELECT endpoint_id, event_id FROM webhook_deliveries CROSS JOIN LATERAL unnest(event_ids) AS event_id
    WHERE event_ids IS NOT NULL AND created_at > now() - interval '25 hours'
  )
  SELECT endpoint.id::text AS "endpointId", clicks_matched::float8 AS matched, clicks_delivered::float8 AS delivered,
    clicks_given_up::float8 AS "givenUp",
    (SELECT coalesce(sum(clicks), 0) FROM webhook_deliveries WHERE endpoint_id = endpoint.id AND state = 'waiting')::float8
      + (SELECT coalesce(sum(clicks), 0) FROM webhook_sums WHERE endpoint_id = endpoint.id)::float8 AS waiting,
    CASE WHEN endpoint.tags IS NULL AND 'click' = ANY(endpoint.events) AND endpoint.off_since IS NULL THEN (
      SELECT count(*) FROM (
        SELECT event_id FROM click_events AS click
        WHERE click.workspace_id = endpoint.workspace_id AND clicked_at > now() - interval '24 hours'
          AND inserted_xid > greatest(endpoint.from_xid, endpoint.filter_xid)
          AND inserted_xid < (SELECT next_xid FROM webhook_cursor) AND class = ANY(endpoint.classes)
          AND (endpoint.link_ids IS NULL OR link_id = ANY(endpoint.link_ids))
          AND (endpoint.domain_ids IS NULL OR domain_id = ANY(endpoint.domain_ids))
        EXCEPT SELECT event_id FROM listed WHERE listed.endpoint_id = endpoint.id
      ) AS unlisted
    )::float8 END AS missing,
    (SELECT count(*) - count(DISTINCT event_id) FROM listed WHERE listed.endpoint_id = endpoint.id)::float8 AS doubled
  FROM webhook_endpoints AS endpoint JOIN webhook_totals ON webhook_totals.endpoint_id = endpoint.id
  WHERE endpoint.deleted_at IS NULL ORDER BY endpoint.id`;

/** Of all endpoints, in one snapshot. Rejects as `RunSql` does. */
export async function findWebhookAccounts(
  runSql: RunSql,
  timeoutMs: number,
): Promise<readonly WebhookAccount[]> {
  return (await runSql(ACCOUNTS, timeoutMs)) as readonly WebhookAccount[];
}

export function addsUp({ matched, delivered, waiting, givenUp, missing, doubled }: WebhookAccount): boolean {
  return matched === delivered + waiting + givenUp && (missing ?? 0) === 0 && doubled === 0;
}
