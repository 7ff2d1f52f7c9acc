/**
 * Switches an endpoint off: nothing matches it from then on, and what waits is given up (a replay sends it again, once the endpoint is
 * on). If its receiver is the reason, its workspace is told: by an email to its owners, and by the webhooks that listen to that.
 */
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { toPublicId } from "../http/entity-id.ts";
import { WEBHOOK_EMAIL } from "./disabled-email.ts";
import type { OffReason } from "./message-shape.ts";

/** False if it was off already, or is gone. */
export async function switchOff(database: Database, endpointId: string, reason: OffReason): Promise<boolean> {
  const id = sql`${endpointId}::uuid`;
  const isToBeTold = reason !== "owner";
  const event = JSON.stringify({ webhookId: toPublicId("whk", endpointId), reason });
  const [, { rows }] = await database.batch([
    // First: what is cut afterwards does not see the endpoint, and what was cut before is seen below.
    database.execute(sql`SELECT FROM webhook_cursor FOR UPDATE`),
    database.execute(sql`
      WITH ended AS (
        UPDATE webhook_endpoints SET off_since = now(), off_reason = ${reason}, updated_at = now()
        WHERE id = ${id} AND off_since IS NULL AND deleted_at IS NULL RETURNING id, workspace_id
      ),
      told AS (
        INSERT INTO webhook_deliveries (endpoint_id, type, data)
        SELECT other.id, 'webhook.disabled', ${event}::jsonb
        FROM ended JOIN webhook_endpoints AS other USING (workspace_id)
        WHERE ${isToBeTold}::boolean AND listens(other, 'webhook.disabled', workspace_id) AND other.id <> ended.id
      ),
      written AS (
        INSERT INTO work (kind, key)
        SELECT ${WEBHOOK_EMAIL}, ended.id || '/' || person_id FROM ended JOIN members USING (workspace_id)
        WHERE ${isToBeTold}::boolean AND role = 'owner' ORDER BY 2 ON CONFLICT DO NOTHING
      )
      SELECT id FROM ended`),
    database.execute(sql`
      WITH given_up AS (
        UPDATE webhook_deliveries SET state = 'given-up', error = 'disabled'
        WHERE endpoint_id = ${id} AND state = 'waiting' RETURNING clicks
      ),
      dropped AS (
        DELETE FROM webhook_sums WHERE endpoint_id = ${id} RETURNING clicks
      )
      UPDATE webhook_totals SET clicks_given_up = clicks_given_up
        + (SELECT coalesce(sum(clicks), 0) FROM given_up)::bigint + (SELECT coalesce(sum(clicks), 0) FROM dropped)::bigint
      WHERE endpoint_id = ${id} AND EXISTS (SELECT FROM webhook_endpoints WHERE id = ${id} AND off_since IS NOT NULL)`),
  ]);
  return rows.length === 1;
}
