/** The conditions of a list of links, each of which an index answers (migrations/0002_links.sql). */
import { links } from "@hopline/db/schema";
import { eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { isWithinBounds } from "../../http/bounds/within-bounds.ts";
import { isOneOf } from "../../to-sql.ts";
import { parsePublicId } from "../../http/entity-id.ts";
import { hasStatus, isOnlyUsedUp, type LinkStatus } from "./link-status.ts";

export type LinkFilter = {
  /** Any of them. */
  readonly ids: readonly string[] | null;
  /** Any of them; all but archived ones for none. */
  readonly statuses: readonly LinkStatus[];
  /** Any of them. */
  readonly tags: readonly string[];
  readonly allTags: readonly string[];
  /** A name or an id; `none`: links in no folder. */
  readonly folder: string | null;
  /** A host or an id. */
  readonly domain: string | null;
  /** Of the link or of one of its aliases: as written, and as a domain that ignores case stores it. */
  readonly slug: { readonly exact: string; readonly folded: string } | null;
  /** The destination. */
  readonly url: string | null;
  readonly externalId: string | null;
  /** RFC 3339; from inclusive, before exclusive. */
  readonly createdFrom: string | null;
  readonly createdBefore: string | null;
  /** Each is part of slug, destination, title or tags. */
  readonly words: readonly string[];
};

/** On rows of `links`, of one workspace; where they are evaluated as written, the cheap ones come first. */
export function toConditions(workspaceId: string, filter: LinkFilter): readonly SQL[] {
  const { ids, domain, folder, slug, url, externalId } = filter;
  return [
    isWithinBounds(),
    ids === null ? undefined : isOneOf(links.id, ids),
    filter.tags.length === 0 ? undefined : sql`${links.tags} && ${sql.param([...filter.tags])}::text[]`,
    filter.allTags.length === 0 ? undefined : sql`${links.tags} @> ${sql.param([...filter.allTags])}::text[]`,
    folder === null ? undefined : isInFolder(workspaceId, folder),
    domain === null ? undefined : sql`${links.domainId} = (${domainOf(workspaceId, domain)})`,
    slug === null ? undefined : sql`${links.id} IN (${linksAt(workspaceId, slug)})`,
    url === null ? undefined : leadsTo(sql`${url}`),
    externalId === null ? undefined : eq(links.externalId, externalId),
    ...toCreation(filter),
    ...toSearch(filter.words),
    hasStatus(workspaceId, filter.statuses),
  ].filter((condition) => condition !== undefined);
}

/** However scheme and host are written. Two links may have the same hash. */
export function leadsTo(url: SQL): SQL {
  return sql`hashtextextended(destination_key(${links.url}), 0) = hashtextextended(destination_key(${url}), 0)
    AND destination_key(${links.url}) = destination_key(${url})`;
}

export function toSearch(words: readonly string[]): readonly SQL[] {
  return words.map((word) => sql`${links.searchText} LIKE link_search_pattern(${word})`);
}

/** Those of them that are a range of the order by creation. */
export function toCreation({ createdFrom, createdBefore }: LinkFilter): readonly SQL[] {
  return [
    ...(createdFrom === null ? [] : [gte(links.createdAt, createdFrom)]),
    ...(createdBefore === null ? [] : [lt(links.createdAt, createdBefore)]),
  ];
}

/** Few links as a rule: found by a name of theirs or by their caps, and not by reading a list. */
export function isLookUp({ ids, statuses, slug, url, externalId }: LinkFilter): boolean {
  return ids !== null || isOnlyUsedUp(statuses) || slug !== null || url !== null || externalId !== null;
}

function domainOf(workspaceId: string, named: string): SQL {
  const id = parsePublicId("dom", named);
  const isNamed = id === null ? sql`host = ${named}` : sql`id = ${id}::uuid`;
  return sql`SELECT id FROM domains WHERE ${isNamed} AND workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL`;
}

function isInFolder(workspaceId: string, named: string): SQL {
  return named === "none"
    ? sql`NOT EXISTS (SELECT FROM folders WHERE id = ${links.folderId} AND deleted_at IS NULL)`
    : sql`${links.folderId} = (${folderOf(workspaceId, named)})`;
}

function folderOf(workspaceId: string, named: string): SQL {
  const id = parsePublicId("fld", named);
  const isNamed = id === null ? sql`name = ${named}` : sql`id = ${id}::uuid`;
  return sql`SELECT id FROM folders WHERE ${isNamed} AND workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL`;
}

function linksAt(workspaceId: string, { exact, folded }: NonNullable<LinkFilter["slug"]>): SQL {
  return sql`SELECT addresses.link_id FROM domains JOIN addresses ON addresses.host = domains.host
    WHERE domains.workspace_id = ${workspaceId}::uuid AND domains.deleted_at IS NULL AND ended_at IS NULL
      AND addresses.slug = CASE WHEN (settings ->> 'ignoresCase')::boolean THEN ${folded} ELSE ${exact} END`;
}
