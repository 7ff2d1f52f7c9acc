/** Deliveries in Postgres, as the runner reads and settles them. The holder of an endpoint's work is alone with its rows. */
import type { ListedClick } from "@hopline/analytics/engine";
import { CLICKS } from "@hopline/analytics/event-values";
import { clickColumns, toListedClick } from "@hopline/analytics/postgres/clicks";
import { domains, links } from "@hopline/db/schema";
import { eq, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { toSql } from "../to-sql.ts";
import { LINK_COLUMNS, type StoredLink } from "../links/store/link-columns.ts";
import type { Delivery } from "./delivery.ts";

/** Rows read at once: a thousand clicks at most. */
const MAX_ROWS = 10;

export type DueDeliveries = {
  readonly workspaceId: string;
  readonly url: string;
  /** Sealed. */
  readonly secrets: readonly string[];
  /** Oldest first. */
  readonly due: readonly Delivery[];
};

/** `null` for an endpoint that is off or gone. */
export async function findDue(database: Database, endpointId: string): Promise<DueDeliveries | null> {
  const [endpoint, due] = await database.batch([
    database.execute<Endpoint>(sql`
      SELECT workspace_id::text AS "workspaceId", url, secret, CASE WHEN old_secret_until > now() THEN old_secret END AS "oldSecret"
      FROM webhook_endpoints WHERE id = ${endpointId}::uuid AND off_since IS NULL AND deleted_at IS NULL`),
    database.execute<Delivery>(sql`
      SELECT id::text, type, round(extract(epoch FROM created_at) * 1000)::float8 AS "createdAtMs",
        coalesce(to_jsonb(event_ids), '[]') AS "eventIds",
        coalesce(floor(extract(epoch FROM clicked_from) * 1000), 0)::float8 AS "clickedFromMs",
        coalesce(ceil(extract(epoch FROM clicked_to) * 1000), 0)::float8 AS "clickedToMs", data, sent, attempts
      FROM webhook_deliveries
      WHERE endpoint_id = ${endpointId}::uuid AND state = 'waiting' AND due_at <= now()
      ORDER BY due_at, id LIMIT ${MAX_ROWS}`),
  ]);
  const [row] = endpoint.rows;
  if (row === undefined) {
    return null;
  }
  const { secret, oldSecret, ...rest } = row;
  return { ...rest, secrets: [secret, oldSecret].filter((one) => one !== null), due: due.rows };
}

type Endpoint = Pick<DueDeliveries, "workspaceId" | "url"> & {
  readonly secret: string;
  readonly oldSecret: string | null;
};

/** The same secret, sealed with another key. */
export async function replaceSealedSecret(
  database: Database,
  endpointId: string,
  { sealed, renewed }: { readonly sealed: string; readonly renewed: string },
): Promise<void> {
  await database.execute(sql`
    UPDATE webhook_endpoints SET secret = CASE secret WHEN ${sealed} THEN ${renewed} ELSE secret END,
      old_secret = CASE old_secret WHEN ${sealed} THEN ${renewed} ELSE old_secret END
    WHERE id = ${endpointId}::uuid`);
}

/** The links that the rows are about, by the id of the row. */
export async function findLinks(
  database: Database,
  due: readonly Delivery[],
): Promise<ReadonlyMap<string, StoredLink>> {
  const ids = due.filter(({ type }) => type.startsWith("link.")).map(({ id }) => id);
  const found = ids.length === 0 ? [] : await findLinkSnapshots(database, ids);
  return new Map(found.map(({ deliveryId, ...link }) => [deliveryId, link]));
}

/** Some clicks of these rows. Of a workspace: a click that was deleted belongs to none any more. */
export async function findClicks(
  database: Database,
  workspaceId: string,
  { rows, eventIds }: { readonly rows: readonly Delivery[]; readonly eventIds: readonly string[] },
): Promise<readonly ListedClick[]> {
  const fromMs = Math.min(...rows.map(({ clickedFromMs }) => clickedFromMs));
  const toMs = Math.max(...rows.map(({ clickedToMs }) => clickedToMs));
  const found = await database.execute(sql`
    SELECT ${toSql(clickColumns())} FROM ${toSql(CLICKS)}
    WHERE workspace_id = ${workspaceId}::uuid AND ${isBetween(fromMs, toMs)}
      AND event_id = ANY(${sql.param(eventIds)}::uuid[])`);
  return found.rows.map(toListedClick);
}

function isBetween(fromMs: number, toMs: number): SQL {
  return sql`clicked_at BETWEEN to_timestamp(${fromMs}::float8 / 1000) AND to_timestamp(${toMs}::float8 / 1000)`;
}

/**
 * Links as the triggers kept them, under the name of their table; their counts, their caps, their aliases and
 * their domains as they are.
 */
async function findLinkSnapshots(database: Database, ids: readonly string[]) {
  const kept = database.$with("links", {}).as(sql`
    SELECT webhook_deliveries.id AS delivery_id, (jsonb_populate_record(NULL::links, data)).*
    FROM webhook_deliveries WHERE id = ANY(${sql.param(ids)}::uuid[])`);
  return database
    .with(kept)
    .select({ deliveryId: sql<string>`delivery_id::text`, ...LINK_COLUMNS })
    .from(links)
    .innerJoin(domains, eq(domains.id, links.domainId));
}

/** What became of a row that was tried. */
export type Attempt = {
  readonly id: string;
  /** All of its messages are delivered. */
  readonly isDone: boolean;
  /** Nothing of it is left to be sent. */
  readonly isLost: boolean;
  /** Messages of it that are delivered, from the first one on without a gap. */
  readonly sent: number;
  /** Clicks that are not there any more. */
  readonly lost: number;
  /** Of the next message of the row: failures of those before it do not delay it. */
  readonly attempts: number;
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly delaySeconds: number;
};

export type Round = {
  readonly attempts: readonly Attempt[];
  /** A message was accepted. */
  readonly hasSuccess: boolean;
  /** A message was not. */
  readonly hasFailure: boolean;
};

/** Resolves to whether nothing was accepted for so long that the endpoint is to be switched off. */
export async function settleRound(
  database: Database,
  endpointId: string,
  { attempts, hasSuccess, hasFailure }: Round,
): Promise<boolean> {
  const { rows } = await database.execute(sql`
    WITH attempt AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) AS attempt (id uuid, "isDone" boolean,
        "isLost" boolean, sent int, lost int, attempts int, status smallint, "durationMs" int, error text, answer text, "delaySeconds" float8)
    ),
    settled AS (
      UPDATE webhook_deliveries AS kept SET sent = attempt.sent, lost = attempt.lost, attempts = attempt.attempts,
        attempted_at = now(), status = attempt.status, duration_ms = "durationMs", error = attempt.error,
        answer = attempt.answer, due_at = now() + "delaySeconds" * interval '1 second',
        state = CASE WHEN "isDone" THEN 'delivered'
          WHEN "isLost" OR now() + "delaySeconds" * interval '1 second' > give_up_at THEN 'given-up' ELSE 'waiting' END
      FROM attempt WHERE kept.id = attempt.id AND kept.state = 'waiting'
      RETURNING kept.state, kept.clicks, kept.lost
    )
    UPDATE webhook_totals SET
      clicks_delivered = clicks_delivered
        + coalesce((SELECT sum(clicks - lost) FROM settled WHERE state = 'delivered'), 0)::bigint,
      clicks_given_up = clicks_given_up + coalesce((
        SELECT sum(CASE state WHEN 'delivered' THEN lost WHEN 'given-up' THEN clicks END) FROM settled
      ), 0)::bigint,
      failing_since = CASE WHEN ${hasSuccess}::boolean THEN NULL
        WHEN ${hasFailure}::boolean THEN coalesce(failing_since, now()) ELSE failing_since END,
      succeeded_at = CASE WHEN ${hasSuccess}::boolean THEN now() ELSE succeeded_at END
    WHERE endpoint_id = ${endpointId}::uuid
    RETURNING failing_since < now() - interval '5 days' AS has_failed`);
  return rows[0]?.["has_failed"] === true;
}

/** Gives work to every endpoint with something due that has none, and to those that are off and have not given it up. Resolves to how many are not claimed, now and for `lateMs`. */
export async function enqueueDueEndpoints(
  database: Database,
  lateMs: number,
): Promise<{ readonly waiting: number; readonly late: number }> {
  const [, { rows }] = await database.batch([
    database.execute(sql`
      INSERT INTO work (kind, key, payload)
      SELECT 'webhook', id::text, jsonb_build_object('workspace', workspace_id) FROM webhook_endpoints
      WHERE deleted_at IS NULL AND EXISTS (
        SELECT FROM webhook_deliveries WHERE endpoint_id = webhook_endpoints.id AND state = 'waiting'
          AND (due_at <= now() OR off_since IS NOT NULL)
      )
      ORDER BY 2 ON CONFLICT DO NOTHING`),
    database.execute(sql`
      SELECT count(*)::int AS waiting,
        count(*) FILTER (WHERE due_at <= now() - ${lateMs}::float8 * interval '1 millisecond')::int AS late
      FROM work WHERE kind = 'webhook' AND due_at <= now()`),
  ]);
  return { waiting: Number(rows[0]?.["waiting"]), late: Number(rows[0]?.["late"]) };
}

/** Seconds until something is due, at most `withinSeconds`; `null`: nothing is. */
export async function findNextDue(database: Database, withinSeconds: number): Promise<number | null> {
  const { rows } = await database.execute(sql`
    SELECT extract(epoch FROM min(greatest(next.due_at, work.due_at)) - now())::float8 AS seconds
    FROM webhook_endpoints AS endpoint CROSS JOIN LATERAL (
      SELECT CASE WHEN endpoint.off_since IS NULL THEN min(due_at) ELSE least(min(due_at), now()) END AS due_at
      FROM webhook_deliveries WHERE endpoint_id = endpoint.id AND state = 'waiting' HAVING count(*) > 0
    ) AS next LEFT JOIN work ON work.kind = 'webhook' AND work.key = endpoint.id::text
    WHERE endpoint.deleted_at IS NULL
      AND next.due_at < now() + ${withinSeconds}::int * interval '1 second'`);
  const seconds = rows[0]?.["seconds"];
  return typeof seconds === "number" && seconds <= withinSeconds ? Math.max(0, seconds) : null;
}
