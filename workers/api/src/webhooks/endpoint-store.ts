/** Endpoints in Postgres. Every statement is scoped by workspace. */
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import type { IdPage } from "../http/page.ts";
import type { ClickMode, EventName } from "./event-types.ts";
import type { OffReason } from "./message-shape.ts";

/** `null`: all of them. */
export type EndpointFilter = {
  readonly linkIds: readonly string[] | null;
  readonly domainIds: readonly string[] | null;
  readonly tags: readonly string[] | null;
  readonly classes: readonly string[];
};

export type EndpointSettings = EndpointFilter & {
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly EventName[];
  readonly mode: ClickMode;
};

/** Instants in epoch milliseconds. */
export type StoredEndpoint = EndpointSettings & {
  readonly id: string;
  readonly workspaceId: string;
  readonly offSinceMs: number | null;
  readonly offReason: OffReason | null;
  readonly failingSinceMs: number | null;
  readonly oldSecretUntilMs: number | null;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

const epochMs = (column: SQL) => sql`(extract(epoch FROM ${column}) * 1000)::float8`;

/** Of `webhook_endpoints`, and `webhook_totals` beside it. */
const COLUMNS = sql`id::text, workspace_id::text, url, description, events, mode, link_ids::text[], domain_ids::text[], tags,
  classes, off_reason, version, ${epochMs(sql`off_since`)} AS off_since, ${epochMs(sql`created_at`)} AS created_at,
  ${epochMs(sql`updated_at`)} AS updated_at,
  CASE WHEN old_secret_until > now() THEN ${epochMs(sql`old_secret_until`)} END AS old_secret_until,
  (SELECT ${epochMs(sql`failing_since`)} FROM webhook_totals WHERE endpoint_id = id) AS failing_since`;

function toEndpoint(row: Record<string, unknown>): StoredEndpoint {
  const msOf = (name: string) => (row[name] === null ? null : Math.round(Number(row[name])));
  return {
    id: String(row["id"]),
    workspaceId: String(row["workspace_id"]),
    url: String(row["url"]),
    description: row["description"] as string | null,
    events: row["events"] as readonly EventName[],
    mode: row["mode"] as ClickMode,
    linkIds: row["link_ids"] as readonly string[] | null,
    domainIds: row["domain_ids"] as readonly string[] | null,
    tags: row["tags"] as readonly string[] | null,
    classes: row["classes"] as readonly string[],
    offSinceMs: msOf("off_since"),
    offReason: row["off_reason"] as OffReason | null,
    failingSinceMs: msOf("failing_since"),
    oldSecretUntilMs: msOf("old_secret_until"),
    version: Number(row["version"]),
    createdAtMs: msOf("created_at") ?? 0,
    updatedAtMs: msOf("updated_at") ?? 0,
  };
}

/** A workspace may have this many. */
export const MAX_ENDPOINTS = 50;

export type NewEndpoint = EndpointSettings & {
  readonly id: string;
  readonly workspaceId: string;
  /** Sealed. */
  readonly secret: string;
};

export type InsertedEndpoint =
  | { readonly kind: "inserted"; readonly endpoint: StoredEndpoint }
  /** An earlier attempt of the same request has created it. */
  | { readonly kind: "there" }
  | { readonly kind: "too-many" };

/** Those of a workspace take turns, so that no two get its last place. */
export async function insertEndpoint(database: Database, endpoint: NewEndpoint): Promise<InsertedEndpoint> {
  const { id, workspaceId, url, description, events, mode, secret } = endpoint;
  const { linkIds, domainIds, tags, classes } = toArrays(endpoint);
  const [, { rows }, , found] = await database.batch([
    database.execute(sql`SELECT FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`),
    database.execute(sql`
      INSERT INTO webhook_endpoints AS endpoint (id, workspace_id, url, description, events, mode, link_ids, domain_ids, tags,
        classes, secret)
      SELECT ${id}::uuid, ${workspaceId}::uuid, ${url}, ${description}, ${sql.param(events)}::text[], ${mode}, ${linkIds},
        ${domainIds}, ${tags}, ${classes}, ${secret}
      WHERE (
        SELECT count(*) FROM webhook_endpoints WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL
      ) < ${MAX_ENDPOINTS}
      ON CONFLICT (id) DO NOTHING RETURNING ${COLUMNS}`),
    database.execute(sql`
      INSERT INTO webhook_totals (endpoint_id)
      SELECT id FROM webhook_endpoints WHERE id = ${id}::uuid ON CONFLICT DO NOTHING`),
    database.execute(sql`SELECT FROM webhook_endpoints WHERE id = ${id}::uuid`),
  ]);
  const [row] = rows;
  if (row !== undefined) {
    return { kind: "inserted", endpoint: toEndpoint(row) };
  }
  return { kind: found.rows.length > 0 ? "there" : "too-many" };
}

function toArrays({ linkIds, domainIds, tags, classes }: EndpointFilter) {
  return {
    linkIds: sql`${sql.param(linkIds)}::uuid[]`,
    domainIds: sql`${sql.param(domainIds)}::uuid[]`,
    tags: sql`${sql.param(tags)}::text[]`,
    classes: sql`${sql.param(classes)}::text[]`,
  };
}

function setFilter(filter: EndpointFilter): SQL {
  const { linkIds, domainIds, tags, classes } = toArrays(filter);
  return sql`link_ids = ${linkIds}, domain_ids = ${domainIds}, tags = ${tags}, classes = ${classes}`;
}

function isThere(workspaceId: string, id: string) {
  return sql`workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND deleted_at IS NULL`;
}

/** Newest first. */
export async function listEndpoints(
  database: Database,
  workspaceId: string,
  { afterId, limit }: IdPage,
): Promise<readonly StoredEndpoint[]> {
  const { rows } = await database.execute(sql`
    SELECT ${COLUMNS} FROM webhook_endpoints
    WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL AND (${afterId}::uuid IS NULL OR id < ${afterId}::uuid)
    ORDER BY webhook_endpoints.id DESC LIMIT ${limit}`);
  return rows.map(toEndpoint);
}

export async function findEndpoint(
  database: Database,
  workspaceId: string,
  id: string,
): Promise<StoredEndpoint | null> {
  const { rows } = await database.execute(
    sql`SELECT ${COLUMNS} FROM webhook_endpoints WHERE ${isThere(workspaceId, id)}`,
  );
  return rows[0] === undefined ? null : toEndpoint(rows[0]);
}

/** Sealed secrets of an endpoint, the newest first; `null` if there is no such endpoint. */
export async function findSecrets(
  database: Database,
  workspaceId: string,
  id: string,
): Promise<readonly string[] | null> {
  const { rows } = await database.execute(sql`
    SELECT secret, CASE WHEN old_secret_until > now() THEN old_secret END AS old_secret
    FROM webhook_endpoints WHERE ${isThere(workspaceId, id)}`);
  const [row] = rows;
  return row === undefined
    ? null
    : [row["secret"], row["old_secret"]].filter((secret) => typeof secret === "string");
}

/** What is left out stays as it is. */
export type EndpointChange = {
  readonly id: string;
  readonly settings: Partial<Omit<EndpointSettings, keyof EndpointFilter>>;
  /** As a whole. */
  readonly filter: EndpointFilter | undefined;
  readonly isSwitchedOn: boolean;
  /** The change applies to these versions only; `null`: to any. */
  readonly ifMatch: readonly number[] | null;
};

/**
 * Changes what is said of it, and nothing else: two who change different fields both do. Clicks that no run has looked at yet are
 * compared with the new filter. Switching it on begins with the clicks from then on; see switch-off.ts for the other way. `null`: it
 * is gone, or in another version.
 */
export async function updateEndpoint(
  database: Database,
  workspaceId: string,
  { id, settings, filter, isSwitchedOn, ifMatch }: EndpointChange,
): Promise<StoredEndpoint | null> {
  const { url, description, events, mode } = settings;
  const xid = sql`pg_current_xact_id()::text::bigint`;
  const isOn = sql`off_since IS NOT NULL`;
  const named = [
    url === undefined ? undefined : sql`url = ${url}`,
    description === undefined ? undefined : sql`description = ${description}`,
    events === undefined ? undefined : sql`events = ${sql.param(events)}::text[]`,
    mode === undefined ? undefined : sql`mode = ${mode}`,
    filter === undefined ? undefined : setFilter(filter),
    isSwitchedOn
      ? sql`from_xid = CASE WHEN ${isOn} THEN ${xid} ELSE from_xid END, off_since = NULL, off_reason = NULL`
      : undefined,
  ].filter((part) => part !== undefined);
  const set = [...named, sql`filter_xid = ${xid}, version = version + 1, updated_at = now()`];
  const isExpected = ifMatch === null ? sql`true` : sql`version = ANY(${sql.param(ifMatch)}::bigint[])`;
  const [{ rows }] = await database.batch([
    database.execute(sql`
      UPDATE webhook_endpoints SET ${sql.join(set, sql`, `)}
      WHERE ${isThere(workspaceId, id)} AND ${isExpected} RETURNING ${COLUMNS}`),
    database.execute(sql`
      UPDATE webhook_totals SET failing_since = NULL WHERE endpoint_id = ${id}::uuid AND ${isSwitchedOn}::boolean`),
  ]);
  return rows[0] === undefined ? null : toEndpoint(rows[0]);
}

/**
 * The secret becomes the old one, which is valid for another day. Both sealed. `there`: an earlier attempt of the same request has
 * done it. `null` when there is no such endpoint.
 */
export async function rotateSecret(
  database: Database,
  workspaceId: string,
  { id, secretId, secret }: { readonly id: string; readonly secretId: string; readonly secret: string },
): Promise<StoredEndpoint | "there" | null> {
  const [{ rows }, found] = await database.batch([
    database.execute(sql`
    UPDATE webhook_endpoints SET old_secret = secret, old_secret_until = now() + interval '24 hours', secret = ${secret},
      secret_id = ${secretId}::uuid, updated_at = now()
    WHERE ${isThere(workspaceId, id)} AND secret_id IS DISTINCT FROM ${secretId}::uuid RETURNING ${COLUMNS}`),
    database.execute(sql`SELECT FROM webhook_endpoints WHERE ${isThere(workspaceId, id)}`),
  ]);
  if (rows[0] !== undefined) {
    return toEndpoint(rows[0]);
  }
  return found.rows.length > 0 ? "there" : null;
}

/** Its rows are removed by the job. False when there is no such endpoint. */
export async function deleteEndpoint(database: Database, workspaceId: string, id: string): Promise<boolean> {
  const { rows } = await database.execute(sql`
    UPDATE webhook_endpoints SET deleted_at = now() WHERE ${isThere(workspaceId, id)} RETURNING 1`);
  return rows.length === 1;
}

export type EndpointStats = {
  readonly matched: number;
  readonly delivered: number;
  readonly waiting: number;
  readonly givenUp: number;
  readonly waitingDeliveries: number;
  readonly oldestWaitingMs: number | null;
  readonly failingSinceMs: number | null;
  readonly succeededAtMs: number | null;
};

/** In one snapshot, so that they add up. `null` when there is no such endpoint. */
export async function findStats(
  database: Database,
  workspaceId: string,
  id: string,
): Promise<EndpointStats | null> {
  const { rows } = await database.execute(sql`
    SELECT clicks_matched, clicks_delivered, clicks_given_up, waiting.*,
      (SELECT coalesce(sum(clicks), 0) FROM webhook_sums WHERE webhook_sums.endpoint_id = totals.endpoint_id) AS summed,
      ${epochMs(sql`failing_since`)} AS failing_since, ${epochMs(sql`succeeded_at`)} AS succeeded_at
    FROM webhook_endpoints JOIN webhook_totals AS totals ON totals.endpoint_id = webhook_endpoints.id
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(clicks), 0) AS clicks_waiting, count(*) AS deliveries,
        ${epochMs(sql`min(webhook_deliveries.created_at)`)} AS oldest
      FROM webhook_deliveries WHERE endpoint_id = webhook_endpoints.id AND state = 'waiting'
    ) AS waiting
    WHERE ${isThere(workspaceId, id)}`);
  const [row] = rows;
  if (row === undefined) {
    return null;
  }
  const msOf = (name: string) => (row[name] === null ? null : Math.round(Number(row[name])));
  return {
    matched: Number(row["clicks_matched"]),
    delivered: Number(row["clicks_delivered"]),
    waiting: Number(row["clicks_waiting"]) + Number(row["summed"]),
    givenUp: Number(row["clicks_given_up"]),
    waitingDeliveries: Number(row["deliveries"]),
    oldestWaitingMs: msOf("oldest"),
    failingSinceMs: msOf("failing_since"),
    succeededAtMs: msOf("succeeded_at"),
  };
}

/** Whether one of these is a short domain, of any workspace: nothing may be sent there. */
export async function isOwnHost(database: Database, hosts: readonly string[]): Promise<boolean> {
  const { rows } = await database.execute(sql`
    SELECT FROM domains WHERE host = ANY(${sql.param(hosts)}::text[]) AND released_at IS NULL AND proof <> 'pending' LIMIT 1`);
  return rows.length > 0;
}
