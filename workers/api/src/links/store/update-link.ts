/** Changes a link and enqueues its new record for the edge, in one transaction. */
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
import type { CheckedUrl } from "../destination.ts";
import type { Database } from "../../database.ts";
import type { StoredState } from "./link-columns.ts";
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
};

export type UpdatedLink = { readonly version: number; readonly changes: readonly EnqueuedChange[] };

/**
 * `null` when the link is gone or has changed since. Rejects with the driver's error, and applies nothing, when the new slug
 * or external id is taken.
 */
export async function updateLink(
  database: Database,
  update: LinkUpdate,
  lease: Lease,
): Promise<UpdatedLink | null> {
  const { tags, ...columns } = update.columns;
  const write = database
    .update(links)
    .set({
      ...columns,
      ...changedSmartColumns(update.smart),
      ...(tags === undefined ? {} : { tags: [...tags] }),
      record: update.record,
      updatedAt: sql`now()`,
    })
    .where(
      and(
        eq(links.workspaceId, update.workspaceId),
        eq(links.id, update.linkId),
        eq(links.version, update.fromVersion),
      ),
    )
    .returning({ version: links.version });
  const enqueue = enqueueWritten(database, [update.linkId], lease);
  const caps = writeCap(database, update.linkId, update.smart?.cap);
  const released =
    update.released === undefined ? [] : [releaseAlias(database, update.linkId, update.released)];
  const [[written], ...rest] = await database.batch([write, ...released, enqueue, ...caps]);
  const enqueued = rest[released.length] ?? { rows: [] };
  return written === undefined ? null : { version: written.version, changes: toEnqueued(enqueued) };
}

/** After the UPDATE, which has brought the alias to the link's new version: makes a tombstone of it in that version. */
function releaseAlias(database: Database, linkId: string, alias: string): OutboxStatement {
  return database.execute(sql`
    UPDATE addresses SET ended_at = now(), record = tombstone_of(link_id, addresses.version)
    FROM links JOIN domains ON domains.id = links.domain_id
    WHERE links.id = ${linkId}::uuid AND ${IS_WRITTEN_HERE} AND links.slug <> ${alias}
      AND addresses.link_id = links.id AND addresses.host = domains.host AND addresses.slug = ${alias}`);
}
