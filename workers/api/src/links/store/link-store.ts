/** Links in Postgres. Every statement is scoped by workspace: links of another one do not exist here. */
import { MAX_CLICK_DESTINATION_LENGTH } from "@hopline/core/click/click-detail";
import { domains, links } from "@hopline/db/schema";
import { and, eq, inArray, isNull, ne, type SQL, sql } from "drizzle-orm";
import { andWithinBounds, isWithinBounds } from "../../http/bounds/within-bounds.ts";
import type { Database } from "../../database.ts";
import { isOneOf } from "../../to-sql.ts";
import { findRow, type Rows } from "../../http/list-rows.ts";
import { insertRemovedClicks } from "../../removed-clicks.ts";
import { LINK_COLUMNS, type StoredLink, type StoredState } from "./link-columns.ts";

/** Of a statement that joins `domains`. */
const IS_THERE = [ne(links.state, "deleted"), isNull(domains.deletedAt)];

export const IS_IN_TRASH = sql`is_in_trash(${links.deletedAt})`;

const DOMAIN_STATUS = sql<number | null>`(${domains.settings} ->> 'redirectStatus')::integer`;

function isLinkOf(workspaceId: string) {
  return and(eq(links.workspaceId, workspaceId), ...IS_THERE, isWithinBounds());
}

/** Without deleted links. Lists have indexes of their own: list-links.ts. */
export function linksOf(database: Database, workspaceId: string): Rows<StoredLink> {
  return {
    where: isLinkOf(workspaceId),
    id: links.id,
    name: links.slug,
    nameOf: ({ slug }) => slug,
    searched: [links.searchText],
    select: (where) =>
      database
        .select(LINK_COLUMNS)
        .from(links)
        .innerJoin(domains, eq(domains.id, links.domainId))
        .where(where),
  };
}

/** `null` for a deleted link and for one of another workspace. */
export async function findLink(
  database: Database,
  workspaceId: string,
  linkId: string,
): Promise<StoredLink | null> {
  return findRow(linksOf(database, workspaceId), linkId);
}

/** In no order, without deleted links and those of other workspaces. */
export async function findLinks(
  database: Database,
  workspaceId: string,
  linkIds: readonly string[],
): Promise<readonly StoredLink[]> {
  const { select, where } = linksOf(database, workspaceId);
  return select(and(where, inArray(links.id, [...linkIds])));
}

/** Host and slug of each, by its id; without deleted links and those of other workspaces. */
export async function findLinkAddresses(
  database: Database,
  workspaceId: string,
  linkIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly host: string; readonly slug: string }>> {
  const found = await database
    .select({ id: links.id, host: domains.host, slug: links.slug })
    .from(links)
    .innerJoin(domains, eq(domains.id, links.domainId))
    .where(and(isLinkOf(workspaceId), inArray(links.id, [...linkIds])));
  return new Map(found.map(({ id, ...address }) => [id, address]));
}

/** What is needed to change a link. */
export type LinkToChange = {
  readonly id: string;
  readonly host: string;
  readonly slug: string;
  readonly url: string;
  readonly tags: readonly string[];
  readonly state: StoredState;
  readonly redirectStatus: number;
  readonly followsDomainStatus: boolean;
  readonly version: number;
  /** The link as published in that version. */
  readonly record: string;
  readonly cap: StoredLink["cap"];
  readonly ignoresCase: boolean;
  /** The domain's default; `null`: it has none. */
  readonly domainStatus: number | null;
  readonly aliases: StoredLink["aliases"];
  readonly isLoop: boolean;
  readonly domainId: string;
  readonly folderId: string | null;
  /** The domain's token if it has lost its proof; then its links can only be deleted. */
  readonly pendingToken: string | null;
  /** How many links the workspace may still have, for one that comes back; `null`: as many as it likes. */
  readonly linksLeft: number | null;
};

/** Links that are there, or those of the trash. */
export type LinkSet = { readonly workspaceId: string; readonly isInTrash?: boolean };

/** In no order, without links that are not in the set, nor those of deleted domains. */
export async function findLinksToChange(
  database: Database,
  { workspaceId, isInTrash = false }: LinkSet,
  wanted: readonly NewDestination[],
): Promise<readonly LinkToChange[]> {
  if (wanted.length === 0) {
    return [];
  }
  const hosts = sql`jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
    AS wanted ("linkId" uuid, "destinationHost" text)`;
  return database
    .select({
      id: links.id,
      host: domains.host,
      slug: links.slug,
      url: links.url,
      tags: links.tags,
      state: links.state,
      redirectStatus: links.redirectStatus,
      followsDomainStatus: links.followsDomainStatus,
      version: links.version,
      record: links.record,
      cap: LINK_COLUMNS.cap,
      ignoresCase: sql<boolean>`coalesce((${domains.settings} ->> 'ignoresCase')::boolean, false)`,
      domainStatus: DOMAIN_STATUS,
      aliases: LINK_COLUMNS.aliases,
      isLoop: sql<boolean>`EXISTS (
        SELECT FROM domains AS short WHERE short.host = wanted."destinationHost" AND leads_visitors(short)
      )`,
      domainId: domains.id,
      folderId: links.folderId,
      pendingToken: sql<string | null>`CASE WHEN ${domains.proof} = 'pending' THEN ${domains.proofToken} END`,
      linksLeft: isInTrash
        ? sql<number | null>`links_left(${workspaceId}::uuid)::float8`
        : sql<number | null>`NULL::float8`,
    })
    .from(links)
    .innerJoin(domains, eq(domains.id, links.domainId))
    .innerJoin(hosts, sql`wanted."linkId" = ${links.id}`)
    .where(
      and(
        eq(links.workspaceId, workspaceId),
        isNull(domains.deletedAt),
        isInTrash ? IS_IN_TRASH : ne(links.state, "deleted"),
        isWithinBounds(),
      ),
    );
}

/** A link, and the host that it is to lead to; `null`: it stays. */
export type NewDestination = { readonly linkId: string; readonly destinationHost: string | null };

/** Which of the ids are of links that were deleted. */
export async function findDeletedLinks(
  database: Database,
  workspaceId: string,
  linkIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (linkIds.length === 0) {
    return new Set();
  }
  const rows = await database
    .select({ id: links.id })
    .from(links)
    .where(
      and(
        eq(links.workspaceId, workspaceId),
        inArray(links.id, [...linkIds]),
        eq(links.state, "deleted"),
        isWithinBounds(),
      ),
    );
  return new Set(rows.map(({ id }) => id));
}

/** The link that a client gave this id, or `null`. */
export async function findLinkIdByExternalId(
  database: Database,
  workspaceId: string,
  externalId: string,
): Promise<string | null> {
  const rows = await database
    .select({ id: links.id })
    .from(links)
    .innerJoin(domains, eq(domains.id, links.domainId))
    .where(and(isLinkOf(workspaceId), eq(links.externalId, externalId)));
  return rows[0]?.id ?? null;
}

/** Removes what is left of deleted links, and their clicks by work. Returns the ids of those that there were. */
export async function forgetLinks(
  database: Database,
  workspaceId: string,
  linkIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await database.execute(
    destroyLinks(
      sql`${isOneOf(links.id, linkIds)} AND workspace_id = ${workspaceId}::uuid AND state = 'deleted'${andWithinBounds()}`,
    ),
  );
  return new Set(rows.map(({ id }) => String(id)));
}

/**
 * A statement that removes the rows of deleted links, and enqueues the removal of their clicks. Where each version led, which is not
 * bounded, is kept until these are gone. Returns the ids.
 */
export function destroyLinks(which: SQL): SQL {
  return sql`
    WITH gone AS (DELETE FROM links WHERE ${which} RETURNING workspace_id, id, slug),
    led AS (
      INSERT INTO removed_destinations
      SELECT link_id, version, left(destination, ${MAX_CLICK_DESTINATION_LENGTH}) FROM link_versions WHERE link_id IN (SELECT id FROM gone)
      ON CONFLICT DO NOTHING
    ),
    enqueued AS (${insertRemovedClicks(sql`SELECT workspace_id, id, NULL::uuid FROM gone`)})
    SELECT id, audit_event(workspace_id, 'link.clicks_deleted', id, slug) FROM gone`;
}

/** The link as published and as written, its slugs, and its domain's default status; `null` for a deleted link and for one of another workspace. */
export async function findRecord(
  database: Database,
  workspaceId: string,
  linkId: string,
): Promise<{
  readonly slug: string;
  readonly aliases: readonly string[];
  readonly record: string;
  readonly smart: unknown;
  readonly domainStatus: number | null;
  readonly isSuspended: boolean;
} | null> {
  const rows = await database
    .select({
      slug: links.slug,
      aliases: LINK_COLUMNS.aliases,
      record: links.record,
      smart: links.smart,
      domainStatus: DOMAIN_STATUS,
      isSuspended: sql<boolean>`${domains.suspendedAt} IS NOT NULL`,
    })
    .from(links)
    .innerJoin(domains, eq(domains.id, links.domainId))
    .where(and(isLinkOf(workspaceId), eq(links.id, linkId)));
  return rows[0] ?? null;
}

/** Which of the hosts are short domains that are proved, of this or another workspace. */
export async function findShortHosts(
  database: Database,
  hosts: readonly string[],
): Promise<ReadonlySet<string>> {
  if (hosts.length === 0) {
    return new Set();
  }
  const rows = await database
    .select({ host: domains.host })
    .from(domains)
    .where(and(inArray(domains.host, [...hosts]), isNull(domains.deletedAt), ne(domains.proof, "pending")));
  // Destinations are compared without their port.
  return new Set(rows.map(({ host }) => host.replace(/:\d+$/, "")));
}
