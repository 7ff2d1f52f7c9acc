/** What webhooks need once a minute: links that have expired are announced, what is old is removed. */
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { KEPT_DAYS } from "./log-store.ts";

const ROWS_A_STATEMENT = 5_000;
/** An edit that was still being written when its links expired is found by a look that goes back this far. */
const LOOKS_BACK = sql`interval '10 minutes'`;

/** Rejects as the database does. Each part may be done again, and by two at once. */
export async function keepUp(database: Database): Promise<void> {
  await announceExpired(database);
  await giveUpLate(database);
  await removeOld(database);
}

async function announceExpired(database: Database): Promise<void> {
  await database.execute(sql`
    WITH turn AS (SELECT expired_until - ${LOOKS_BACK} AS since FROM webhook_cursor FOR UPDATE),
    moved AS (UPDATE webhook_cursor SET expired_until = now() WHERE EXISTS (SELECT FROM turn))
    SELECT announce_link(links, 'link.ended', links.id || '/expired/' || extract(epoch FROM expires_at))
    FROM links WHERE state = 'live' AND expires_at > (SELECT since FROM turn) AND expires_at <= now()
      AND workspace_id = ANY(ARRAY(
        SELECT workspace_id FROM webhook_endpoints
        WHERE off_since IS NULL AND deleted_at IS NULL AND 'link.ended' = ANY(events)
      ))`);
}

/** What waited for 24 hours without its turn coming. */
async function giveUpLate(database: Database): Promise<void> {
  await database.execute(sql`
    WITH late AS (
      UPDATE webhook_deliveries SET state = 'given-up', error = coalesce(error, 'late')
      WHERE state = 'waiting' AND give_up_at < now() - interval '1 minute' RETURNING endpoint_id, clicks
    )
    UPDATE webhook_totals SET clicks_given_up = clicks_given_up + given_up.clicks
    FROM (SELECT endpoint_id, sum(clicks)::bigint AS clicks FROM late GROUP BY endpoint_id) AS given_up
    WHERE webhook_totals.endpoint_id = given_up.endpoint_id`);
}

/** Ids begin with their time. An endpoint's row goes when nothing of it is left. */
async function removeOld(database: Database): Promise<void> {
  await database.batch([
    database.execute(sql`
      DELETE FROM webhook_deliveries WHERE id IN (
        SELECT id FROM webhook_deliveries
        WHERE id < (lpad(to_hex((extract(epoch FROM now() - ${KEPT_DAYS}::int * interval '1 day') * 1000)::bigint), 12, '0')
            || repeat('0', 20))::uuid AND state <> 'waiting'
        ORDER BY id LIMIT ${ROWS_A_STATEMENT}
      )`),
    database.execute(sql`
      DELETE FROM webhook_deliveries WHERE id IN (
        SELECT webhook_deliveries.id FROM webhook_endpoints AS endpoint
        JOIN webhook_deliveries ON webhook_deliveries.endpoint_id = endpoint.id
        WHERE endpoint.deleted_at IS NOT NULL LIMIT ${ROWS_A_STATEMENT}
      )`),
    database.execute(sql`
      DELETE FROM webhook_endpoints WHERE deleted_at < now() - interval '10 minutes' AND NOT EXISTS (
        SELECT FROM webhook_deliveries WHERE endpoint_id = webhook_endpoints.id
      )`),
  ]);
}
