/** What webhooks need besides runs: links that have expired are announced, what is old is given up and removed. */
import { ENOUGH_FOR_AN_ITEM } from "@hopline/db/work/request-budget";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { requestsLeft } from "../invocation-budget.ts";
import { KEPT_DAYS } from "./log-store.ts";

/** Some 100 ms on two cores. */
const ROWS_A_STATEMENT = 5_000;
/** Of a part, in one go. What is left is continued in the next minute: 72 million rows a day. */
const MAX_STATEMENTS = 10;
/** An edit that was still being written when its links expired is found by a look that goes back this far. */
const LOOKS_BACK = sql`interval '10 minutes'`;

/**
 * What a sweep removes and gives up. Resolves to whether nothing is left over. Rejects as the database does. Each part may be done
 * again, and by two at once.
 */
export async function sweepDeliveries(
  database: Database,
  rowsAStatement = ROWS_A_STATEMENT,
): Promise<boolean> {
  let isWhole = true;
  for (const part of [giveUpLate, removeOld, removeDeleted]) {
    const isOver = await inSlices(() => part(database, rowsAStatement), rowsAStatement);
    isWhole &&= isOver;
  }
  await removeEndpoints(database);
  return isWhole;
}

async function inSlices(doSlice: () => Promise<number>, rowsAStatement: number): Promise<boolean> {
  for (
    let statements = 0;
    statements < MAX_STATEMENTS && requestsLeft() >= ENOUGH_FOR_AN_ITEM;
    statements += 1
  ) {
    if ((await doSlice()) < rowsAStatement) {
      return true;
    }
  }
  return false;
}

/** Rejects as the database does. May be done again, and by two at once. */
export async function announceExpired(database: Database): Promise<void> {
  await database.execute(sql`
    WITH turn AS (SELECT expired_until - ${LOOKS_BACK} AS since FROM webhook_cursor FOR UPDATE),
    moved AS (UPDATE webhook_cursor SET expired_until = now() WHERE EXISTS (SELECT FROM turn))
    SELECT announce_link(links, 'link.ended', links.id || '/expired/' || extract(epoch FROM expires_at))
    FROM links WHERE state = 'live' AND expires_at > (SELECT since FROM turn) AND expires_at <= now()
      AND EXISTS (
        SELECT FROM webhook_endpoints AS endpoint WHERE endpoint.workspace_id = links.workspace_id AND off_since IS NULL
          AND deleted_at IS NULL AND 'link.ended' = ANY(events) AND endpoint.created_at < expires_at + ${LOOKS_BACK}
      )`);
}

/** What waited for 24 hours without its turn coming. Resolves to how many rows, as all of these do. */
async function giveUpLate(database: Database, maxRows: number): Promise<number> {
  return countRows(
    database,
    sql`
      WITH late AS (
        UPDATE webhook_deliveries SET state = 'given-up', error = coalesce(error, 'late') WHERE id = ANY(ARRAY(
          SELECT id FROM webhook_deliveries WHERE state = 'waiting' AND give_up_at < now() - interval '1 minute'
          LIMIT ${maxRows} FOR UPDATE SKIP LOCKED
        )) RETURNING endpoint_id, clicks
      ),
      counted AS (
        UPDATE webhook_totals SET clicks_given_up = clicks_given_up + given_up.clicks
        FROM (SELECT endpoint_id, sum(clicks)::bigint AS clicks FROM late GROUP BY endpoint_id) AS given_up
        WHERE webhook_totals.endpoint_id = given_up.endpoint_id
      )
      SELECT count(*)::int AS rows FROM late`,
  );
}

/** Ids begin with their time. */
function removeOld(database: Database, maxRows: number): Promise<number> {
  return removeDeliveries(
    database,
    sql`
      SELECT id FROM webhook_deliveries
      WHERE id < (lpad(to_hex((extract(epoch FROM now() - ${KEPT_DAYS}::int * interval '1 day') * 1000)::bigint), 12, '0')
          || repeat('0', 20))::uuid AND state <> 'waiting'
      ORDER BY id LIMIT ${maxRows}`,
  );
}

function removeDeleted(database: Database, maxRows: number): Promise<number> {
  return removeDeliveries(
    database,
    sql`
      SELECT webhook_deliveries.id FROM webhook_endpoints AS endpoint
      JOIN webhook_deliveries ON webhook_deliveries.endpoint_id = endpoint.id
      WHERE endpoint.deleted_at IS NOT NULL LIMIT ${maxRows}`,
  );
}

/** @param ids SELECT of ids. */
function removeDeliveries(database: Database, ids: SQL): Promise<number> {
  return countRows(
    database,
    sql`
      WITH removed AS (DELETE FROM webhook_deliveries WHERE id = ANY(ARRAY(${ids})) RETURNING 1)
      SELECT count(*)::int AS rows FROM removed`,
  );
}

/** An endpoint's row goes when nothing of it is left. */
async function removeEndpoints(database: Database): Promise<void> {
  await database.execute(sql`
    DELETE FROM webhook_endpoints WHERE deleted_at < now() - interval '10 minutes' AND NOT EXISTS (
      SELECT FROM webhook_deliveries WHERE endpoint_id = webhook_endpoints.id
    )`);
}

async function countRows(database: Database, statement: SQL): Promise<number> {
  const { rows } = await database.execute(statement);
  return Number(rows[0]?.["rows"]);
}
