/** The log of an endpoint's deliveries, and their replay. Every statement is scoped by workspace. */
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import type { IdPage } from "../http/page.ts";
import type { MessageType } from "./event-types.ts";

/** For how long deliveries are kept, and can be replayed. */
export const KEPT_DAYS = 30;

export const DELIVERY_STATES = ["waiting", "delivered", "given-up"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Instants in epoch milliseconds. */
export type LoggedDelivery = {
  readonly id: string;
  readonly type: MessageType;
  readonly state: DeliveryState;
  readonly clicks: number;
  readonly createdAtMs: number;
  readonly attempts: number;
  readonly attemptedAtMs: number | null;
  /** Of a row that waits. */
  readonly dueAtMs: number | null;
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
  readonly answer: string | null;
};

const epochMs = (column: SQL) => sql`round(extract(epoch FROM ${column}) * 1000)::float8`;

function isItsOwn(workspaceId: string, endpointId: string) {
  return sql`endpoint_id = ${endpointId}::uuid AND EXISTS (
    SELECT FROM webhook_endpoints WHERE id = ${endpointId}::uuid AND workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL
  )`;
}

export type LogQuestion = {
  readonly endpointId: string;
  readonly states: readonly DeliveryState[];
  readonly page: IdPage;
};

/** Newest first. */
export async function listDeliveries(
  database: Database,
  workspaceId: string,
  { endpointId, states, page }: LogQuestion,
): Promise<readonly LoggedDelivery[]> {
  const { rows } = await database.execute<LoggedDelivery>(sql`
    SELECT id::text, type, state, clicks, ${epochMs(sql`created_at`)} AS "createdAtMs", attempts,
      ${epochMs(sql`attempted_at`)} AS "attemptedAtMs",
      CASE state WHEN 'waiting' THEN ${epochMs(sql`due_at`)} END AS "dueAtMs",
      status, duration_ms AS "durationMs", error, answer
    FROM webhook_deliveries
    WHERE ${isItsOwn(workspaceId, endpointId)} AND state = ANY(${sql.param(states)}::text[])
      AND (${page.afterId}::uuid IS NULL OR id < ${page.afterId}::uuid)
    ORDER BY webhook_deliveries.id DESC LIMIT ${page.limit}`);
  return rows;
}

export type Replay = {
  readonly endpointId: string;
  /** One delivery; `null`: those of the range. */
  readonly deliveryId: string | null;
  /** By when it was made, RFC 3339. `null`: no limit. */
  readonly since: string | null;
  readonly until: string | null;
  readonly states: readonly ("delivered" | "given-up")[];
};

/** Of one request. */
export const MAX_REPLAYED = 5_000;

/**
 * Sends deliveries again, oldest first, as if they had never been tried, and takes them back from the counts. An endpoint that pauses
 * after a failure does not wait any longer. Resolves to how many; to `null` if the endpoint is off or not there.
 */
export async function replayDeliveries(
  database: Database,
  workspaceId: string,
  { endpointId, deliveryId, since, until, states }: Replay,
): Promise<number | null> {
  const endpoint = sql`${endpointId}::uuid`;
  const { rows } = await database.execute(sql`
    WITH endpoint AS (
      SELECT FROM webhook_endpoints
      WHERE id = ${endpoint} AND workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL AND off_since IS NULL
    ),
    chosen AS (
      SELECT id, state, clicks, lost FROM webhook_deliveries
      WHERE endpoint_id = ${endpoint} AND state = ANY(${sql.param(states)}::text[]) AND EXISTS (SELECT FROM endpoint)
        AND (${deliveryId}::uuid IS NULL OR id = ${deliveryId}::uuid)
        AND (${since}::timestamptz IS NULL OR created_at >= ${since}::timestamptz)
        AND (${until}::timestamptz IS NULL OR created_at < ${until}::timestamptz)
      ORDER BY id LIMIT ${MAX_REPLAYED} FOR UPDATE
    ),
    replayed AS (
      UPDATE webhook_deliveries AS kept SET state = 'waiting', due_at = now(), give_up_at = now() + interval '24 hours',
        sent = 0, lost = 0, attempts = 0
      FROM chosen WHERE kept.id = chosen.id
    ),
    resumed AS (
      UPDATE work SET due_at = now()
      WHERE kind = 'webhook' AND key = ${endpointId} AND lease IS NULL AND due_at > now() AND EXISTS (SELECT FROM chosen)
    ),
    counted AS (
      UPDATE webhook_totals SET
        clicks_delivered = clicks_delivered
          - (SELECT coalesce(sum(clicks - lost) FILTER (WHERE state = 'delivered'), 0) FROM chosen)::bigint,
        clicks_given_up = clicks_given_up
          - (SELECT coalesce(sum(CASE state WHEN 'delivered' THEN lost ELSE clicks END), 0) FROM chosen)::bigint
      WHERE endpoint_id = ${endpoint} AND EXISTS (SELECT FROM chosen)
    )
    SELECT (SELECT count(*) FROM chosen)::int AS replayed FROM endpoint`);
  const [row] = rows;
  return row === undefined ? null : Number(row["replayed"]);
}
