/** Deleted links that can still come back (is_in_trash, migrations/0002_links.sql). */
import { domains, links } from "@hopline/db/schema";
import { and, desc, eq, sql } from "drizzle-orm";
import { andWithinBounds, isWithinBounds } from "../../http/bounds/within-bounds.ts";
import type { Database } from "../../database.ts";
import { isOneOf } from "../../to-sql.ts";
import { epochMs } from "../../instant.ts";
import { LINK_COLUMNS, type StoredClicks } from "./link-columns.ts";
import { fromEpochUs, type Place, toEpochUs } from "./link-order.ts";
import { toSearch } from "./link-filter.ts";
import { destroyLinks, IS_IN_TRASH } from "./link-store.ts";

export type TrashedLink = {
  readonly id: string;
  readonly domainId: string;
  readonly host: string;
  readonly slug: string;
  readonly url: string;
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly clicks: StoredClicks;
  readonly deletedAtMs: number;
  /** Where a page after it would start. */
  readonly sortValue: string;
  /** Its domain still is the workspace's, and proved. */
  readonly isRestorable: boolean;
};

export type TrashPage = {
  readonly after: Place | null;
  readonly limit: number;
  /** Each is part of slug, destination, title or tags. */
  readonly words: readonly string[];
};

/** Newest first. */
export async function listTrash(
  database: Database,
  workspaceId: string,
  { after, limit, words }: TrashPage,
): Promise<readonly TrashedLink[]> {
  return database
    .select({
      id: links.id,
      domainId: links.domainId,
      host: domains.host,
      slug: links.slug,
      url: links.url,
      title: links.title,
      tags: links.tags,
      clicks: LINK_COLUMNS.clicks,
      deletedAtMs: epochMs(links.deletedAt),
      sortValue: toEpochUs(sql`${links.deletedAt}`),
      isRestorable: sql<boolean>`leads_visitors(domains)`,
    })
    .from(links)
    .innerJoin(domains, eq(domains.id, links.domainId))
    .where(
      and(
        eq(links.workspaceId, workspaceId),
        IS_IN_TRASH,
        isWithinBounds(),
        ...toSearch(words),
        after === null
          ? undefined
          : sql`(${links.deletedAt}, ${links.id}) < (${fromEpochUs(after.value)}, ${after.id}::uuid)`,
      ),
    )
    .orderBy(desc(links.deletedAt), desc(links.id))
    .limit(limit);
}

/** What a deleted link was in its last version before. */
export type RestorableLink = {
  readonly id: string;
  readonly host: string;
  readonly isDomainGone: boolean;
  readonly destination: string;
  readonly state: unknown;
};

/** In no order, without links that are not in the trash. */
export async function findTrashed(
  database: Database,
  workspaceId: string,
  linkIds: readonly string[],
): Promise<readonly RestorableLink[]> {
  if (linkIds.length === 0) {
    return [];
  }
  const { rows } = await database.execute(sql`
    SELECT links.id, host, domains.deleted_at IS NOT NULL AS is_domain_gone, former.destination, former.state
    FROM links JOIN domains ON domains.id = links.domain_id,
      LATERAL (
        SELECT destination, state FROM link_versions
        WHERE link_id = links.id AND state ->> 'state' <> 'deleted' ORDER BY version DESC LIMIT 1
      ) AS former
    WHERE links.workspace_id = ${workspaceId}::uuid AND ${isOneOf(links.id, linkIds)} AND ${IS_IN_TRASH}${andWithinBounds()}`);
  return rows.map((row) => ({
    id: String(row["id"]),
    host: String(row["host"]),
    isDomainGone: row["is_domain_gone"] === true,
    destination: String(row["destination"]),
    state: row["state"],
  }));
}

/** Resolves to how many have been in the trash for too long, and are destroyed now; `limit` at most. */
export async function destroyExpired(database: Database, limit: number): Promise<number> {
  const { rows } = await database.execute(
    destroyLinks(sql`id IN (
      SELECT id FROM links WHERE deleted_at IS NOT NULL AND NOT is_in_trash(deleted_at)
      ORDER BY deleted_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`),
  );
  return rows.length;
}
