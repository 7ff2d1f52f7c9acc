/** Endpoints in Postgres. Every statement is scoped by workspace. */
import { webhookEndpoints, webhookTotals } from "@hopline/db/schema";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Database, RowOf } from "../database.ts";
import { findRow, isExpected, nextVersion, type Rows, type RowTarget } from "../http/list-rows.ts";
import { epochMs, epochMsOrNull } from "../instant.ts";
import type { ClickMode, EventName } from "./event-types.ts";

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

const columns = {
  id: webhookEndpoints.id,
  workspaceId: webhookEndpoints.workspaceId,
  url: webhookEndpoints.url,
  description: webhookEndpoints.description,
  events: sql<EventName[]>`${webhookEndpoints.events}`,
  mode: webhookEndpoints.mode,
  linkIds: webhookEndpoints.linkIds,
  domainIds: webhookEndpoints.domainIds,
  tags: webhookEndpoints.tags,
  classes: webhookEndpoints.classes,
  offSinceMs: epochMsOrNull(webhookEndpoints.offSince),
  offReason: webhookEndpoints.offReason,
  // The columns are spelled out, because drizzle omits the table's name in a statement without joins.
  failingSinceMs: sql<number | null>`(SELECT extract(epoch FROM failing_since) * 1000 FROM webhook_totals
    WHERE endpoint_id = webhook_endpoints.id)`.mapWith(toMs),
  oldSecretUntilMs: sql<number | null>`CASE WHEN ${webhookEndpoints.oldSecretUntil} > now()
    THEN ${epochMs(webhookEndpoints.oldSecretUntil)} END`.mapWith(toMs),
  version: webhookEndpoints.version,
  createdAtMs: epochMs(webhookEndpoints.createdAt),
  updatedAtMs: epochMs(webhookEndpoints.updatedAt),
};
export type StoredEndpoint = RowOf<typeof columns>;

/** drizzle passes NULL through without calling it. */
function toMs(text: unknown): number {
  return Math.round(Number(text));
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
  const [, { rows }, , [found]] = await database.batch([
    database.execute(sql`SELECT FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`),
    database.execute(sql`
      INSERT INTO webhook_endpoints (id, workspace_id, url, description, events, mode, link_ids, domain_ids, tags,
        classes, secret)
      SELECT ${id}::uuid, ${workspaceId}::uuid, ${url}, ${description}, ${sql.param(events)}::text[], ${mode},
        ${sql.param(linkIds)}::uuid[], ${sql.param(domainIds)}::uuid[], ${sql.param(tags)}::text[],
        ${sql.param(classes)}::text[], ${secret}
      WHERE (
        SELECT count(*) FROM webhook_endpoints WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL
      ) < ${MAX_ENDPOINTS}
      ON CONFLICT (id) DO NOTHING RETURNING id`),
    database.execute(sql`
      INSERT INTO webhook_totals (endpoint_id)
      SELECT id FROM webhook_endpoints WHERE id = ${id}::uuid ON CONFLICT DO NOTHING`),
    database.select(columns).from(webhookEndpoints).where(eq(webhookEndpoints.id, id)),
  ]);
  if (found === undefined) {
    return { kind: "too-many" };
  }
  return rows.length === 0 ? { kind: "there" } : { kind: "inserted", endpoint: found };
}

/** As drizzle takes them. */
function toArrays({ linkIds, domainIds, tags, classes }: EndpointFilter) {
  return {
    linkIds: linkIds && [...linkIds],
    domainIds: domainIds && [...domainIds],
    tags: tags && [...tags],
    classes: [...classes],
  };
}

function isThere(workspaceId: string, id: string): SQL | undefined {
  return and(isOf(workspaceId), eq(webhookEndpoints.id, id));
}

function isOf(workspaceId: string): SQL | undefined {
  return and(eq(webhookEndpoints.workspaceId, workspaceId), isNull(webhookEndpoints.deletedAt));
}

function isTarget({ workspaceId, id, ifMatch }: RowTarget): SQL | undefined {
  return and(isThere(workspaceId, id), isExpected(webhookEndpoints.version, ifMatch));
}

export function endpointsOf(database: Database, workspaceId: string): Rows<StoredEndpoint> {
  return {
    where: isOf(workspaceId),
    id: webhookEndpoints.id,
    name: webhookEndpoints.url,
    nameOf: ({ url }) => url,
    searched: [webhookEndpoints.description, webhookEndpoints.url],
    select: (where) => database.select(columns).from(webhookEndpoints).where(where),
  };
}

export function findEndpoint(
  database: Database,
  workspaceId: string,
  id: string,
): Promise<StoredEndpoint | null> {
  return findRow(endpointsOf(database, workspaceId), id);
}

/** Sealed secrets of an endpoint, the newest first; `null` if there is no such endpoint. */
export async function findSecrets(
  database: Database,
  workspaceId: string,
  id: string,
): Promise<readonly string[] | null> {
  const { secret, oldSecret, oldSecretUntil } = webhookEndpoints;
  const [found] = await database
    .select({ secret, old: sql<string | null>`CASE WHEN ${oldSecretUntil} > now() THEN ${oldSecret} END` })
    .from(webhookEndpoints)
    .where(isThere(workspaceId, id));
  return found === undefined ? null : [found.secret, ...(found.old === null ? [] : [found.old])];
}

type Settings = Omit<EndpointSettings, keyof EndpointFilter>;

/** What is left out stays as it is. */
export type EndpointChange = {
  readonly settings: { readonly [Name in keyof Settings]?: Settings[Name] | undefined };
  /** As a whole. */
  readonly filter: EndpointFilter | undefined;
  readonly isSwitchedOn: boolean;
};

/**
 * Changes what is said of it, and nothing else: two who change different fields both do. Clicks that no run has looked at yet are
 * compared with the new filter. Switching it on begins with the clicks from then on; see switch-off.ts for the other way. `null`: it
 * is gone, or in another version.
 */
export async function updateEndpoint(
  database: Database,
  target: RowTarget,
  { settings: { events, ...settings }, filter, isSwitchedOn }: EndpointChange,
): Promise<StoredEndpoint | null> {
  const { fromXid, offSince, version } = webhookEndpoints;
  const xid = sql`pg_current_xact_id()::text::bigint`;
  const on = {
    fromXid: sql`CASE WHEN ${offSince} IS NOT NULL THEN ${xid} ELSE ${fromXid} END`,
    offSince: null,
    offReason: null,
  };
  const [rows] = await database.batch([
    database
      .update(webhookEndpoints)
      .set({
        ...settings,
        events: events && [...events],
        ...(filter && toArrays(filter)),
        ...(isSwitchedOn ? on : {}),
        filterXid: xid,
        version: nextVersion(version),
        updatedAt: sql`now()`,
      })
      .where(isTarget(target))
      .returning(columns),
    database
      .update(webhookTotals)
      .set({ failingSince: null })
      .where(and(eq(webhookTotals.endpointId, target.id), sql`${isSwitchedOn}::boolean`)),
  ]);
  return rows[0] ?? null;
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
  const [rows, [found]] = await database.batch([
    database
      .update(webhookEndpoints)
      .set({
        oldSecret: sql`${webhookEndpoints.secret}`,
        oldSecretUntil: sql`now() + interval '24 hours'`,
        secret,
        secretId,
        updatedAt: sql`now()`,
      })
      .where(
        and(isThere(workspaceId, id), sql`${webhookEndpoints.secretId} IS DISTINCT FROM ${secretId}::uuid`),
      )
      .returning(columns),
    database.select({ id: webhookEndpoints.id }).from(webhookEndpoints).where(isThere(workspaceId, id)),
  ]);
  return rows[0] ?? (found === undefined ? null : "there");
}

/** Its rows are removed by the job. False when there is no such endpoint in that version. */
export async function deleteEndpoint(database: Database, target: RowTarget): Promise<boolean> {
  const rows = await database
    .update(webhookEndpoints)
    .set({ deletedAt: sql`now()` })
    .where(isTarget(target))
    .returning({ id: webhookEndpoints.id });
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

const epochOf = (instant: SQL) => sql`(extract(epoch FROM ${instant}) * 1000)::float8`;

/** In one snapshot, so that they add up. `null` when there is no such endpoint. */
export async function findStats(
  database: Database,
  workspaceId: string,
  id: string,
): Promise<EndpointStats | null> {
  const { rows } = await database.execute(sql`
    SELECT clicks_matched, clicks_delivered, clicks_given_up, waiting.*,
      (SELECT coalesce(sum(clicks), 0) FROM webhook_sums WHERE webhook_sums.endpoint_id = totals.endpoint_id) AS summed,
      ${epochOf(sql`failing_since`)} AS failing_since, ${epochOf(sql`succeeded_at`)} AS succeeded_at
    FROM webhook_endpoints JOIN webhook_totals AS totals ON totals.endpoint_id = webhook_endpoints.id
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(clicks), 0) AS clicks_waiting, count(*) AS deliveries,
        ${epochOf(sql`min(webhook_deliveries.created_at)`)} AS oldest
      FROM webhook_deliveries WHERE endpoint_id = webhook_endpoints.id AND state = 'waiting'
    ) AS waiting
    WHERE ${isThere(workspaceId, id)}`);
  const [row] = rows;
  if (row === undefined) {
    return null;
  }
  const msOf = (name: string) => (row[name] === null ? null : toMs(row[name]));
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
