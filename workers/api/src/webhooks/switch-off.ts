/**
 * Switches an endpoint off: nothing matches it from then on, and what waits is given up (a replay sends it again, once the endpoint is
 * on): the first of it at once, the rest by the endpoint's leased work. If its receiver is the reason, its workspace is told: by an
 * email to its owners, and by the webhooks that listen to that.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { toPublicId } from "../http/entity-id.ts";
import { WEBHOOK_EMAIL } from "./disabled-email.ts";
import type { OffReason } from "./message-shape.ts";

/** False if it was off already, or is gone. */
export async function switchOff(
  database: Database,
  endpointId: string,
  {
    reason,
    rowsAStatement = ROWS_A_STATEMENT,
  }: { readonly reason: OffReason; readonly rowsAStatement?: number },
): Promise<boolean> {
  const id = sql`${endpointId}::uuid`;
  // An owner's PATCH has counted its own version.
  const isAnnounced = reason !== "owner";
  const event = JSON.stringify({ webhookId: toPublicId("whk", endpointId), reason });
  const [, { rows }] = await database.batch([
    // First: what is cut afterwards does not see the endpoint, and what was cut before is seen below.
    database.execute(sql`SELECT FROM webhook_cursor FOR UPDATE`),
    database.execute(sql`
      WITH ended AS (
        UPDATE webhook_endpoints SET off_since = now(), off_reason = ${reason}, version = version + ${isAnnounced ? 1 : 0},
          updated_at = now()
        WHERE id = ${id} AND off_since IS NULL AND deleted_at IS NULL RETURNING id, workspace_id
      ),
      announced AS (
        INSERT INTO webhook_deliveries (endpoint_id, type, data)
        SELECT other.id, 'webhook.disabled', ${event}::jsonb
        FROM ended JOIN webhook_endpoints AS other USING (workspace_id)
        WHERE ${isAnnounced}::boolean AND listens(other, 'webhook.disabled', workspace_id) AND other.id <> ended.id
      ),
      written AS (
        INSERT INTO work (kind, key)
        SELECT ${WEBHOOK_EMAIL}, ended.id || '/' || person_id FROM ended JOIN members USING (workspace_id)
        WHERE ${isAnnounced}::boolean AND role = 'owner' ORDER BY 2 ON CONFLICT DO NOTHING
      )
      SELECT id FROM ended`),
    database.execute(giveUpStatement(endpointId, rowsAStatement)),
  ]);
  return rows.length === 1;
}

/** Rows that are given up in one statement: some 200 ms on two cores. */
const ROWS_A_STATEMENT = 5_000;

/**
 * Gives up the next of what waits for an endpoint that is off. True if there may be more. For the endpoint's leased work: a receiver
 * that was down for a day leaves more than a statement has time for.
 */
export async function giveUpNext(
  database: Database,
  endpointId: string,
  rowsAStatement = ROWS_A_STATEMENT,
): Promise<boolean> {
  const { rows } = await database.execute(giveUpStatement(endpointId, rowsAStatement));
  return Number(rows[0]?.["rows"] ?? 0) >= rowsAStatement;
}

/** The counts change with the rows, or not at all. */
function giveUpStatement(endpointId: string, maxRows: number): SQL {
  const id = sql`${endpointId}::uuid`;
  const isOff = sql`EXISTS (SELECT FROM webhook_endpoints WHERE id = ${id} AND off_since IS NOT NULL)`;
  return sql`
    WITH given_up AS (
      UPDATE webhook_deliveries SET state = 'given-up', error = 'disabled'
      WHERE id = ANY(ARRAY(
        SELECT id FROM webhook_deliveries WHERE endpoint_id = ${id} AND state = 'waiting' AND ${isOff}
        ORDER BY due_at LIMIT ${maxRows} FOR UPDATE
      )) RETURNING clicks
    ),
    dropped AS (
      DELETE FROM webhook_sums WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM webhook_sums WHERE endpoint_id = ${id} AND ${isOff} LIMIT ${maxRows}
      )) RETURNING clicks
    ),
    counted AS (
      UPDATE webhook_totals SET clicks_given_up = clicks_given_up
        + (SELECT coalesce(sum(clicks), 0) FROM given_up)::bigint + (SELECT coalesce(sum(clicks), 0) FROM dropped)::bigint
      WHERE endpoint_id = ${id}
    )
    SELECT greatest((SELECT count(*) FROM given_up), (SELECT count(*) FROM dropped))::int AS rows`;
}
