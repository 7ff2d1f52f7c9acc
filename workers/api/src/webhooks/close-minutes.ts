/** Makes deliveries of the sums of `click.summary` (cut-clicks.ts), once their minute is over. */
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { MAX_SUMMARY_LINKS } from "./message-shape.ts";

/** A statement of some 300 ms on two cores. */
const SUMS_A_STATEMENT = 50_000;
/** Of one call: all deliveries wait behind it. */
const MAX_STATEMENTS = 10;

/**
 * Makes deliveries of the minutes that are over, oldest first. A click that becomes visible later is in a second message of its
 * minute, and so are sums that are more than a statement takes.
 */
export async function closeMinutes(database: Database, sumsAStatement = SUMS_A_STATEMENT): Promise<void> {
  for (let statements = 0; statements < MAX_STATEMENTS; statements += 1) {
    const { rows } = await database.execute(closeStatement(sumsAStatement));
    if (Number(rows[0]?.["sums"]) < sumsAStatement) {
      return;
    }
  }
}

function closeStatement(sums: number): SQL {
  return sql`
    WITH closed AS (
      DELETE FROM webhook_sums WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM webhook_sums WHERE minute < date_trunc('minute', now())
        ORDER BY minute, endpoint_id, link_id LIMIT ${sums}
      )) RETURNING *
    ),
    numbered AS (
      SELECT *, (row_number() OVER (PARTITION BY endpoint_id, minute ORDER BY clicks DESC, link_id) - 1)
        / ${MAX_SUMMARY_LINKS}::int AS part
      FROM closed
    ),
    delivered AS (
      INSERT INTO webhook_deliveries (endpoint_id, type, clicks, data)
      SELECT endpoint_id, 'click.summary', sum(clicks), jsonb_build_object('from', extract(epoch FROM minute)::bigint,
        'links', jsonb_agg(jsonb_build_array(link_id, clicks) ORDER BY clicks DESC, link_id))
      FROM numbered GROUP BY endpoint_id, minute, part ORDER BY minute, endpoint_id, part
    )
    SELECT count(*)::int AS sums FROM closed`;
}
