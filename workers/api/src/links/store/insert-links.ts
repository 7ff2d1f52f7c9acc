/** Creates links: one statement looks up their addresses, one transaction writes rows, caps and outbox. */
import type { RedirectStatus } from "@hopline/core/link/link-record";
import { links } from "@hopline/db/schema";
import { and, type SQL, sql } from "drizzle-orm";
import { andWithinBounds, isDomainWithin } from "../../http/bounds/within-bounds.ts";
import type { Database } from "../../database.ts";
import { isOneOf } from "../../to-sql.ts";
import {
  enqueueArrivals,
  enqueueImported,
  type EnqueuedChange,
  enqueueWritten,
  type Lease,
  type OutboxStatement,
  toEnqueued,
} from "../../publishing/outbox.ts";
import type { CheckedUrl } from "../../destination.ts";
import { type LinkDefaults, readDefaults } from "../../link-defaults-shape.ts";
import type { StoredState } from "./link-columns.ts";
import { leadsTo } from "./link-filter.ts";
import { insertCaps, type SmartColumns, smartColumns } from "./smart-store.ts";

export type WantedAddress = {
  /** A host or an id. `null`: the workspace's oldest domain that is proved. */
  readonly domain: string | null;
  /** `null` if one will be generated. */
  readonly slug: string | null;
  /** The same for a domain that ignores case. */
  readonly foldedSlug: string | null;
  readonly destinationHost: string;
  readonly externalId: string | null;
};

/** `domain` is `null` if the workspace has no such domain. */
export type FoundAddress = {
  readonly domain: { readonly id: string; readonly host: string } | null;
  /** The domain's token if it is not proved yet; then it takes no links. */
  readonly pendingToken: string | null;
  readonly ignoresCase: boolean;
  /** The domain's default; `null`: it has none. */
  readonly redirectStatus: number | null;
  /** The destination's host is a short domain, of this or another workspace. */
  readonly isLoop: boolean;
  readonly isSlugTaken: boolean;
  /** How many more links of the domain may forward what follows; `null`: this one does not. */
  readonly forwardsLeft: number | null;
  readonly isExternalIdTaken: boolean;
  /** How many links the workspace may still create; `null`: as many as it likes. */
  readonly linksLeft: number | null;
  /** For new links. */
  readonly defaults: { readonly domain: LinkDefaults | null; readonly workspace: LinkDefaults | null };
};

/** One result for each address, in their order. */
export async function findAddresses(
  database: Database,
  workspaceId: string,
  wanted: readonly WantedAddress[],
): Promise<readonly FoundAddress[]> {
  const { rows } = await database.execute(sql`
    WITH wanted AS (
      SELECT row_number, domain, slug, "foldedSlug" AS folded_slug, "destinationHost" AS destination_host, "externalId" AS external_id
      FROM ROWS FROM (
        jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
          AS (domain text, slug text, "foldedSlug" text, "destinationHost" text, "externalId" text)
      ) WITH ORDINALITY AS item (domain, slug, "foldedSlug", "destinationHost", "externalId", row_number)
    ),
    oldest AS (
      SELECT id, host, settings, proof, proof_token FROM domains
      WHERE ${and(sql`workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL`, isDomainWithin(sql`id`))}
      ORDER BY proof = 'pending', created_at, id LIMIT 1
    ),
    placed AS (
      SELECT row_number, destination_host, external_id,
        coalesce(named.id, oldest.id) AS domain_id, coalesce(named.host, oldest.host) AS domain_host,
        coalesce(named.settings, oldest.settings) AS settings,
        CASE coalesce(named.proof, oldest.proof) WHEN 'pending'
          THEN coalesce(named.proof_token, oldest.proof_token) END AS pending_token,
        CASE WHEN (coalesce(named.settings, oldest.settings) ->> 'ignoresCase')::boolean
          THEN folded_slug ELSE slug END AS slug
      FROM wanted
      LEFT JOIN domains AS named ON ${and(sql`named.workspace_id = ${workspaceId}::uuid AND named.deleted_at IS NULL`, isDomainWithin(sql`named.id`))}
        AND named.id = CASE WHEN wanted.domain ~ '^dom_[0-9a-f]{32}$' THEN substr(wanted.domain, 5)::uuid
          ELSE (SELECT id FROM domains WHERE host = wanted.domain AND workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL) END
      LEFT JOIN oldest ON wanted.domain IS NULL
    )
    SELECT domain_id, domain_host, pending_token,
      coalesce((settings ->> 'ignoresCase')::boolean, false) AS ignores_case,
      (settings ->> 'redirectStatus')::integer AS redirect_status,
      -- Once each: they may be long.
      CASE WHEN row_number = min(row_number) OVER (PARTITION BY domain_id) THEN settings -> 'defaults' END AS defaults,
      CASE WHEN row_number = 1 THEN (SELECT defaults FROM workspaces WHERE id = ${workspaceId}::uuid) END AS workspace_defaults,
      EXISTS (SELECT FROM domains WHERE domains.host = destination_host AND leads_visitors(domains)) AS is_loop,
      EXISTS (SELECT FROM addresses WHERE addresses.host = domain_host AND addresses.slug = placed.slug
        AND (ended_at IS NULL OR is_reserved(addresses))) AS is_slug_taken,
      CASE WHEN placed.slug LIKE '%/*' THEN forwards_left(domain_host) END AS forwards_left,
      EXISTS (SELECT FROM links WHERE links.workspace_id = ${workspaceId}::uuid
        AND links.external_id = placed.external_id AND links.state <> 'deleted') AS is_external_id_taken,
      (SELECT links_left(${workspaceId}::uuid)) AS links_left
    FROM placed ORDER BY row_number`);
  const ofDomains = new Map(
    rows.toReversed().map((row) => [row["domain_id"], readDefaults(row["defaults"])]),
  );
  const workspace = readDefaults(rows[0]?.["workspace_defaults"]);
  return rows.map((row) => ({
    defaults: { domain: ofDomains.get(row["domain_id"]) ?? null, workspace },
    domain: toDomain(row["domain_id"], row["domain_host"]),
    pendingToken: typeof row["pending_token"] === "string" ? row["pending_token"] : null,
    ignoresCase: row["ignores_case"] === true,
    redirectStatus: typeof row["redirect_status"] === "number" ? row["redirect_status"] : null,
    isLoop: row["is_loop"] === true,
    isSlugTaken: row["is_slug_taken"] === true,
    forwardsLeft: row["forwards_left"] === null ? null : Number(row["forwards_left"]),
    isExternalIdTaken: row["is_external_id_taken"] === true,
    linksLeft: row["links_left"] === null ? null : Number(row["links_left"]),
  }));
}

function toDomain(id: unknown, host: unknown): FoundAddress["domain"] {
  return typeof id === "string" && typeof host === "string" ? { id, host } : null;
}

/** A row of `insertLinks`. */
export type LinkRow = {
  readonly id: string;
  readonly workspaceId: string;
  readonly domainId: string;
  readonly slug: string;
  readonly url: CheckedUrl;
  readonly state: StoredState;
  readonly redirectStatus: RedirectStatus;
  /** It has no status of its own: `redirectStatus` is its domain's, and changes with it. */
  readonly followsDomainStatus: boolean;
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly externalId: string | null;
  readonly folderId: string | null;
  /** It is not created where a link is the same already. */
  readonly reuse: boolean;
  /** The link as published. The database puts its version in. */
  readonly record: string;
  readonly smart: SmartColumns | undefined;
  /** Of its cap, if it has one. */
  readonly usedClicks: number;
  /** RFC 3339; `null` for now. */
  readonly createdAt: string | null;
};

export type Inserted = {
  readonly linkIds: ReadonlySet<string>;
  /** The workspace may create no more: why a link was skipped. */
  readonly isFull: boolean;
  /** External ids that other links have: why a link was skipped, where it was not for its slug. */
  readonly takenExternalIds: ReadonlySet<string>;
  readonly changes: readonly EnqueuedChange[];
};

export type InsertOptions = {
  /** All rows or none: rejects with SQLSTATE 22012, and writes nothing, when an address is taken. */
  readonly isAtomic: boolean;
  /** `later`: for links at new addresses, the edge only learns that links arrived on their domain. */
  readonly publish: "now" | "later";
  readonly lease: Lease;
  /** The workspace may have so many links and no more. The last ones of `rows` may be left out. */
  readonly isLimited: boolean;
};

/**
 * Inserts the links whose slug and external id are free. All of them are of one workspace. Requests that are limited or reuse links
 * take turns, so that each sees what those before have made.
 */
export async function insertLinks(
  database: Database,
  rows: readonly LinkRow[],
  { isAtomic, publish, lease, isLimited }: InsertOptions,
): Promise<Inserted> {
  const workspaceId = rows[0]?.workspaceId ?? "";
  const left = sql`links_left(${workspaceId}::uuid)`;
  const isReusing = rows.some(({ reuse }) => reuse);
  const isSame = sql`(item.reuse AND EXISTS (SELECT FROM links WHERE ${isSameAsItem()}))`;
  const isNew = and(sql`true`, isLimited ? IS_FREE : undefined, isReusing ? sql`NOT ${isSame}` : undefined);
  const insert = database.execute(sql`
    INSERT INTO links (id, workspace_id, domain_id, slug, url, state, redirect_status, follows_domain_status, title,
      tags, external_id, folder_id, record, smart, starts_at, expires_at, password, created_at)
    SELECT id, "workspaceId", "domainId", slug, url, state, "redirectStatus", "followsDomainStatus", title,
      tags, "externalId", "folderId", record, coalesce(smart, '{}'), "startsAt", "expiresAt", password,
      coalesce("createdAt", now())
    FROM ${toItems(rows)} WHERE ${isNew}
    ORDER BY "domainId", slug NOT LIKE '%/*', slug LIMIT ${isLimited ? left : sql`ALL`}
    ON CONFLICT DO NOTHING
    RETURNING id`);
  const ids = rows.map(({ id }) => id);
  // An address where something was published before waits in the outbox like an edit, because of the order of versions there.
  const outbox =
    publish === "now"
      ? [enqueueWritten(database, ids, lease)]
      : [
          enqueueArrivals(database, ids, lease),
          enqueueImported(database, ids),
          enqueueWritten(database, ids, null, "used-before"),
        ];
  // Without a function of ours, only a division by zero ends a transaction on a condition.
  const guard = () =>
    database.execute(sql`
      SELECT 1 / (count(*) = ${rows.length}::int)::int FROM ${toItems(rows)}
      WHERE EXISTS (SELECT FROM links WHERE links.id = item.id) OR ${isSame}`);
  const rest = [...insertCaps(database, rows), ...(isAtomic ? [guard()] : [])];
  const others = findTakenExternalIds(database, rows);
  const after = [...outbox, ...others, ...rest];
  const last = isLimited ? [database.execute(sql`SELECT ${left} AS left`)] : [];
  const [inserted, ...results] =
    isLimited || isReusing
      ? await insertInTurn(database, workspaceId, [insert, ...after, ...last])
      : await database.batch([insert, ...after]);
  const taken = results.slice(outbox.length, outbox.length + others.length).flatMap((result) => result.rows);
  return {
    linkIds: new Set(inserted.rows.map((row) => String(row["id"]))),
    isFull: isLimited && Number(results.at(-1)?.rows[0]?.["left"]) === 0,
    takenExternalIds: new Set(taken.map((row) => String(row["external_id"]))),
    changes: results
      .slice(0, outbox.length)
      .flatMap(toEnqueued)
      .filter(({ kind }) => kind === "publish"),
  };
}

function toItems(rows: readonly LinkRow[]): SQL {
  const items = rows.map(({ smart, ...columns }) => ({ ...columns, ...smartColumns(smart) }));
  return sql`jsonb_to_recordset(${JSON.stringify(items)}::jsonb) AS item (id uuid, "workspaceId" uuid, "domainId" uuid,
    slug text, url text, state text, "redirectStatus" smallint, "followsDomainStatus" boolean, title text,
    tags text[], "externalId" text, "folderId" uuid, reuse boolean, record text, smart jsonb, "startsAt" timestamptz,
    "expiresAt" timestamptz, password jsonb, "createdAt" timestamptz)`;
}

/** On rows of `links`, for an item of `toItems`: what `reuse` says is the same (link-shape.ts). */
function isSameAsItem(): SQL {
  return sql`links.workspace_id = item."workspaceId" AND links.domain_id = item."domainId" AND ${leadsTo(sql`item.url`)}
    AND links.state = 'live' AND links.slug NOT LIKE '%/*' AND links.starts_at IS NULL AND links.password IS NULL
    AND (SELECT id FROM folders WHERE id = links.folder_id AND deleted_at IS NULL) IS NOT DISTINCT FROM item."folderId"
    AND coalesce(links.smart -> 'rules', '[]') = '[]' AND NOT links.smart ?| '{split,next}'
    AND coalesce(links.smart -> 'utm', '{}') = coalesce(item.smart -> 'utm', '{}')
    AND coalesce(links.smart ->> 'forwardQuery', 'none') = coalesce(item.smart ->> 'forwardQuery', 'none')
    AND (links.expires_at IS NULL) = (item."expiresAt" IS NULL) AND (links.expires_at > now()) IS NOT FALSE
    AND NOT EXISTS (SELECT FROM link_caps WHERE link_id = links.id)${andWithinBounds()}`;
}

/** The ids of the oldest links that are the same, by the row's id. */
export async function findSame(
  database: Database,
  rows: readonly LinkRow[],
): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) {
    return new Map();
  }
  const { rows: found } = await database.execute(sql`
    SELECT item.id, same.id AS link_id FROM ${toItems(rows)} CROSS JOIN LATERAL (
      -- OFFSET: the planner would rather read other orders' indexes.
      SELECT id FROM (SELECT id, created_at FROM links WHERE ${isSameAsItem()} OFFSET 0) AS found
      ORDER BY created_at, id LIMIT 1
    ) AS same`);
  return new Map(found.map((row) => [String(row["id"]), String(row["link_id"])]));
}

/** So that a row whose names were taken since they were looked up does not count towards the limit, in place of another. */
const IS_FREE = sql`NOT EXISTS (
    SELECT FROM domains JOIN addresses ON addresses.host = domains.host
    WHERE domains.id = item."domainId" AND addresses.slug = item.slug AND (ended_at IS NULL OR is_reserved(addresses))
  ) AND NOT EXISTS (
    SELECT FROM links WHERE links.workspace_id = item."workspaceId" AND links.external_id = item."externalId" AND state <> 'deleted'
  )`;

/** The statements see what earlier requests have created. The lock is a statement of its own, because of their snapshots. */
async function insertInTurn(
  database: Database,
  workspaceId: string,
  statements: readonly [OutboxStatement, ...OutboxStatement[]],
) {
  const [, ...results] = await database.batch([takeTurn(database, workspaceId), ...statements]);
  return results;
}

/** The first statement of a batch that may take what is left of a workspace's links. */
export function takeTurn(database: Database, workspaceId: string): OutboxStatement {
  return database.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`links of ${workspaceId}`}, 0))`,
  );
}

/** A statement for the batch, after the INSERT, which has waited for requests that were about to write such a link. */
function findTakenExternalIds(database: Database, rows: readonly LinkRow[]): readonly OutboxStatement[] {
  const named = rows.filter(({ externalId }) => externalId !== null);
  return named.slice(0, 1).map(({ workspaceId }) =>
    database.execute(sql`
      SELECT external_id FROM links
      WHERE workspace_id = ${workspaceId}::uuid AND state <> 'deleted'
        AND ${isOneOf(
          links.externalId,
          named.flatMap(({ externalId }) => externalId ?? []),
        )}
        AND id <> ALL(${sql.param(named.map(({ id }) => id))}::uuid[])`),
  );
}
