/**
 * Turns clicks into deliveries, for all endpoints at once and each click once: from the cursor up to the horizon, the oldest
 * transaction that is still open (see live/new-clicks.ts). Rows, counts and cursor move in one statement, or not at all.
 */
import { QUERY_CANCELED } from "@hopline/db/database-failure";
import { SENT_WITHIN } from "@hopline/db/webhooks/new-clicks";
import { type SQL, sql } from "drizzle-orm";
import { type Database, failureOf } from "../database.ts";
import { toSql } from "../to-sql.ts";
import { MAX_BATCH_CLICKS } from "./event-types.ts";

/** Of one cut. */
type Size = {
  /** Transactions that are read, many after an outage of this Worker. */
  readonly span: number;
  readonly clicks: number;
};

const LARGEST: Size = { span: 2 ** 30, clicks: 5_000 };
const STATEMENT_TIMEOUT_MS = 4_000;

/**
 * After a statement that took too long; `null` if there is no smaller one. Either may be why: few of many transactions match, or
 * each click matches many endpoints. All workspaces wait for this statement, so no click may be too much for it.
 */
function smallerThan({ span, clicks }: Size): Size | null {
  return span === 1 && clicks === 1
    ? null
    : { span: Math.max(1, Math.floor(span / 64)), clicks: Math.max(1, Math.floor(clicks / 8)) };
}

const HORIZON = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
const WANTS_CLICKS = sql`off_since IS NULL AND deleted_at IS NULL AND events && '{click,click.summary}'`;

export type Cut = {
  /** Clicks that match, counted for each endpoint. */
  readonly matched: number;
  /** There are more, or some whose turn comes when an older transaction ends. */
  readonly isMore: boolean;
  /** So many that this was only the first part. */
  readonly isFull: boolean;
};

type Position = { readonly xid: bigint; readonly eventId: string; readonly horizon: bigint };

const NOTHING: Cut = { matched: 0, isMore: false, isFull: false };

/** Rejects as the database does. */
export async function cutClicks(database: Database, timeoutMs = STATEMENT_TIMEOUT_MS): Promise<Cut> {
  const position = await readPosition(database);
  return position === null || position.xid >= position.horizon
    ? NOTHING
    : cutFrom(position, LARGEST, { database, timeoutMs });
}

type CutDeps = { readonly database: Database; readonly timeoutMs: number };

async function cutFrom(position: Position, size: Size, deps: CutDeps): Promise<Cut> {
  const { database, timeoutMs } = deps;
  const end = position.xid + BigInt(size.span);
  const to = end < position.horizon ? end : position.horizon;
  try {
    const [, { rows }] = await database.batch([
      database.execute(sql`SELECT set_config('statement_timeout', ${String(timeoutMs)}, true)`),
      database.execute(cutStatement(position, to, size.clicks)),
    ]);
    const [row] = rows;
    if (row === undefined || row["moved"] !== true) {
      return NOTHING;
    }
    const isFull = row["is_full"] === true || to < position.horizon;
    return { matched: Number(row["matched"]), isMore: isFull || row["is_more"] === true, isFull };
  } catch (error) {
    const smaller = failureOf(error).sqlState === QUERY_CANCELED ? smallerThan(size) : null;
    if (smaller === null) {
      throw error;
    }
    return cutFrom(position, smaller, deps);
  }
}

/**
 * `null` if no webhook wants clicks. Nothing before the oldest endpoint's beginning is read. A cursor that is ahead of the database
 * comes from before it was restored from a dump: transactions are numbered from the start again, and so are endpoints.
 */
async function readPosition(database: Database): Promise<Position | null> {
  const [, { rows }] = await database.batch([
    database.execute(sql`
      WITH restored AS (
        UPDATE webhook_cursor SET next_xid = ${HORIZON} WHERE next_xid > ${HORIZON} RETURNING 1
      )
      UPDATE webhook_endpoints SET from_xid = ${HORIZON}, filter_xid = ${HORIZON}
      WHERE EXISTS (SELECT FROM restored)`),
    database.execute(sql`
      SELECT greatest(next_xid, (SELECT min(from_xid) FROM webhook_endpoints WHERE ${WANTS_CLICKS}))::text AS xid,
        CASE WHEN next_xid >= (SELECT min(from_xid) FROM webhook_endpoints WHERE ${WANTS_CLICKS}) THEN after_event
          ELSE '00000000-0000-0000-0000-000000000000' END::text AS event_id, ${HORIZON}::text AS horizon
      FROM webhook_cursor WHERE EXISTS (SELECT FROM webhook_endpoints WHERE ${WANTS_CLICKS})`),
  ]);
  const [row] = rows;
  return row === undefined
    ? null
    : {
        xid: BigInt(String(row["xid"])),
        eventId: String(row["event_id"]),
        horizon: BigInt(String(row["horizon"])),
      };
}

/**
 * A cursor that was moved since makes this do nothing: its row is locked, and looked at again. Workspaces are compared as
 * text, or the planner would read all that a workspace has by its index instead of what is new by the other.
 */
function cutStatement({ xid, eventId }: Position, to: bigint, maxClicks: number): SQL {
  const from = sql`${String(xid)}::bigint`;
  const end = sql`${String(to)}::bigint`;
  const after = sql`${eventId}::uuid`;
  const isNew = sql`clicked_at > now() - ${toSql(SENT_WITHIN)}
    AND workspace_id::text = ANY(ARRAY(SELECT workspace_id::text FROM listening))`;
  return sql`
    WITH turn AS (
      SELECT FROM webhook_cursor
      WHERE next_xid < ${from} OR (next_xid = ${from} AND after_event <= ${after}) FOR UPDATE
    ),
    listening AS MATERIALIZED (SELECT * FROM webhook_endpoints WHERE ${WANTS_CLICKS}),
    fresh AS MATERIALIZED (
      SELECT inserted_xid, event_id, clicked_at, workspace_id, link_id, domain_id, class FROM click_events
      WHERE inserted_xid >= ${from} AND inserted_xid < ${end} AND (inserted_xid, event_id) > (${from}, ${after})
        AND ${isNew} AND EXISTS (SELECT FROM turn)
      ORDER BY inserted_xid, event_id LIMIT ${maxClicks}
    ),
    matching AS MATERIALIZED (
      SELECT endpoint.id AS endpoint_id, endpoint.mode, 'click.summary' = ANY(endpoint.events) AS is_summed, fresh.*,
        (row_number() OVER (PARTITION BY endpoint.id ORDER BY inserted_xid, event_id) - 1) / ${MAX_BATCH_CLICKS}::int AS part
      FROM fresh JOIN listening AS endpoint USING (workspace_id)
      WHERE inserted_xid > endpoint.from_xid AND class = ANY(endpoint.classes)
        AND (endpoint.link_ids IS NULL OR link_id = ANY(endpoint.link_ids))
        AND (endpoint.domain_ids IS NULL OR domain_id = ANY(endpoint.domain_ids))
        AND (endpoint.tags IS NULL OR EXISTS (SELECT FROM links WHERE links.id = link_id AND links.tags && endpoint.tags))
    ),
    delivered AS (
      INSERT INTO webhook_deliveries (endpoint_id, type, clicks, event_ids, clicked_from, clicked_to)
      SELECT endpoint_id, CASE mode WHEN 'each' THEN 'click' ELSE 'click.batch' END, count(*),
        array_agg(event_id ORDER BY inserted_xid, event_id), min(clicked_at), max(clicked_at)
      FROM matching WHERE NOT is_summed GROUP BY endpoint_id, mode, part ORDER BY endpoint_id, part
    ),
    summed AS (
      INSERT INTO webhook_sums AS kept (endpoint_id, minute, link_id, clicks)
      SELECT endpoint_id, date_trunc('minute', now()), link_id, count(*) FROM matching WHERE is_summed
      GROUP BY endpoint_id, link_id ORDER BY endpoint_id, link_id
      ON CONFLICT (endpoint_id, minute, link_id) DO UPDATE SET clicks = kept.clicks + excluded.clicks
    ),
    counted AS (
      UPDATE webhook_totals SET clicks_matched = clicks_matched + clicks
      FROM (SELECT endpoint_id, count(*) AS clicks FROM matching GROUP BY endpoint_id) AS added
      WHERE webhook_totals.endpoint_id = added.endpoint_id
    ),
    last AS (
      SELECT inserted_xid, event_id FROM fresh ORDER BY inserted_xid DESC, event_id DESC
      LIMIT (SELECT (count(*) = ${maxClicks})::int FROM fresh)
    ),
    moved AS (
      UPDATE webhook_cursor SET moved_at = now(),
        next_xid = coalesce((SELECT inserted_xid FROM last), ${end}),
        after_event = coalesce((SELECT event_id FROM last), '00000000-0000-0000-0000-000000000000')
      WHERE EXISTS (SELECT FROM turn) RETURNING 1
    )
    SELECT (SELECT count(*) FROM matching)::int AS matched, EXISTS (SELECT FROM moved) AS moved,
      EXISTS (SELECT FROM last) AS is_full, EXISTS (SELECT FROM click_events WHERE inserted_xid >= ${end} AND ${isNew}) AS is_more`;
}
