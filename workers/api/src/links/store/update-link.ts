/** Changes links and enqueues their new records for the edge, in one transaction. */
import { isForwardingSlug } from "@hopline/core/link/link-address";
import type { RedirectStatus } from "@hopline/core/link/link-record";
import { links } from "@hopline/db/schema";
import { and, eq, sql } from "drizzle-orm";
import {
  type EnqueuedChange,
  enqueueWritten,
  IS_WRITTEN_HERE,
  type Lease,
  type OutboxStatement,
  toEnqueued,
} from "../../publishing/outbox.ts";
import type { CheckedUrl } from "../../destination.ts";
import { isWithinBounds } from "../../http/bounds/within-bounds.ts";
import type { Database } from "../../database.ts";
import type { StoredState } from "./link-columns.ts";
import { takeTurn } from "./insert-links.ts";
import { lockLinks } from "./lock-links.ts";
import { changedSmartColumns, type SmartColumns, writeCap } from "./smart-store.ts";

export type LinkUpdate = {
  readonly workspaceId: string;
  readonly linkId: string;
  /** The update applies to this version only. */
  readonly fromVersion: number;
  /** Columns that are left out stay as they are. */
  readonly columns: {
    readonly slug?: string;
    readonly url?: CheckedUrl;
    readonly state?: StoredState;
    readonly redirectStatus?: RedirectStatus;
    readonly followsDomainStatus?: boolean;
    readonly title?: string | null;
    readonly tags?: readonly string[];
    readonly externalId?: string | null;
    readonly folderId?: string | null;
  };
  readonly smart?: SmartColumns | undefined;
  /** The link as published. The database puts its new version in, and writes a tombstone for a deleted link. */
  readonly record: string;
  readonly released?: string | undefined;
  /** It comes back, and the workspace may have so many links and no more: such requests take turns. */
  readonly isLimited?: boolean;
};

export type UpdatedLinks = {
  /** The new version of each link that was written, by id. */
  readonly versions: ReadonlyMap<string, number>;
  readonly changes: readonly EnqueuedChange[];
};

/**
 * In one transaction. A link that is gone or has changed since is left out. Rejects with the driver's error, and applies nothing,
 * when a new slug or external id is taken.
 */
export async function updateLinks(
  database: Database,
  updates: readonly LinkUpdate[],
  lease: Lease,
): Promise<UpdatedLinks> {
  const ids = updates.map(({ linkId }) => linkId);
  const [first, ...rest] = updates.flatMap((update) => writeLink(database, update));
  if (first === undefined) {
    return { versions: new Map(), changes: [] };
  }
  const limited = updates.filter(({ isLimited = false }) => isLimited).slice(0, 1);
  const isForwarding = updates.some(({ columns }) => isForwardingSlug(columns.slug ?? ""));
  const turns = [
    ...limited.map(({ workspaceId }) => takeTurn(database, workspaceId)),
    ...(updates.length > 1 ? [lockLinks(database, ids, isForwarding)] : []),
  ];
  const [start, ...others] = [...turns, first, ...rest, enqueueWritten(database, ids, lease)] as const;
  const results = await database.batch([start ?? first, ...others]);
  const written = results.flatMap((result) => (Array.isArray(result) ? result : []));
  const enqueued = results.at(-1);
  return {
    versions: new Map(written.map(({ id, version }) => [id, version])),
    changes: enqueued === undefined || Array.isArray(enqueued) ? [] : toEnqueued(enqueued),
  };
}

/** Statements for the batch; the first is the UPDATE. */
function writeLink(database: Database, update: LinkUpdate) {
  const { linkId, released, workspaceId, isLimited = false } = update;
  const { tags, ...columns } = update.columns;
  const write = database
    .update(links)
    .set({
      ...columns,
      ...changedSmartColumns(update.smart),
      ...(tags === undefined ? {} : { tags: [...tags] }),
      record: update.record,
      updatedAt: sql`now()`,
      // The end of its addresses is of the same moment: by that they are known to be reserved.
      ...(columns.state === undefined ? {} : { deletedAt: columns.state === "deleted" ? sql`now()` : null }),
    })
    .where(
      and(
        eq(links.workspaceId, workspaceId),
        eq(links.id, linkId),
        eq(links.version, update.fromVersion),
        isWithinBounds(),
        isLimited ? sql`links_left(${workspaceId}::uuid) > 0` : undefined,
      ),
    )
    .returning({ id: links.id, version: links.version });
  const caps = writeCap(database, linkId, update.smart?.cap);
  return [write, ...(released === undefined ? [] : [deleteAlias(database, linkId, released)]), ...caps];
}

/** After the UPDATE, which has brought the alias to the link's new version: makes a tombstone of it in that version. */
function deleteAlias(database: Database, linkId: string, alias: string): OutboxStatement {
  return database.execute(sql`
    WITH released AS (
      UPDATE addresses SET ended_at = now(), record = in_version(tombstone_of(link_id), addresses.version)
      FROM links JOIN domains ON domains.id = links.domain_id
      WHERE links.id = ${linkId}::uuid AND ${IS_WRITTEN_HERE} AND links.slug <> ${alias}
        AND addresses.link_id = links.id AND addresses.host = domains.host AND addresses.slug = ${alias}
      RETURNING links.workspace_id, links.id, domains.host || '/' || addresses.slug AS label
    )
    SELECT audit_event(workspace_id, 'link.alias_released', id, label) FROM released`);
}
