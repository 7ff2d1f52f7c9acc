/** Changes a link and enqueues its new record for the edge, in one transaction. */
import type { RedirectStatus } from "@hopline/core/link/link-record";
import { links } from "@hopline/db/schema";
import { and, eq, sql } from "drizzle-orm";
import {
  type EnqueuedChange,
  enqueueWritten,
  enqueueRetired,
  type Lease,
  type OutboxChange,
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
  /** The version after the update: higher than that, and than every earlier one at the link's address. */
  readonly version: number;
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
  };
  readonly smart?: SmartColumns | undefined;
  /** The link as published, in the new version. */
  readonly record: string;
  /** A tombstone in the new version for the address that a new slug leaves behind. */
  readonly left: OutboxChange | null;
};

/**
 * `null` when the link is gone or has changed since. Rejects with the driver's error, and applies nothing, when the new slug
 * or external id is taken.
 */
export async function updateLink(
  database: Database,
  update: LinkUpdate,
  lease: Lease,
): Promise<readonly EnqueuedChange[] | null> {
  const { tags, ...columns } = update.columns;
  const write = database
    .update(links)
    .set({
      ...columns,
      ...changedSmartColumns(update.smart),
      ...(tags === undefined ? {} : { tags: [...tags] }),
      version: update.version,
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
    .returning({ id: links.id });
  const enqueue = enqueueWritten(database, [update.linkId], lease);
  const retire = update.left === null ? [] : [enqueueRetired(database, update.left, lease)];
  const caps = writeCap(database, update.linkId, update.smart?.cap);
  const [written, ...rest] = await database.batch([write, enqueue, ...retire, ...caps]);
  return written.length === 1 ? rest.slice(0, 1 + retire.length).flatMap(toEnqueued) : null;
}
