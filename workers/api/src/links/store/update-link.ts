/** Changes a link and enqueues what the edge must hear of it, in one transaction. */
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
  /** The version that the update was planned on; it applies to no other. */
  readonly fromVersion: number;
  /** The version after the update: higher than that, and than any before at the link's address. */
  readonly version: number;
  /** What becomes of the columns; those left out stay. */
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
 * Applies an update; `null` when the link is not there in that version: changed meanwhile, or gone. Rejects with
 * the driver's error, nothing applied, when the new slug or external id is taken.
 */
export async function updateLink(
  database: Database,
  update: LinkUpdate,
  lease: Lease,
): Promise<readonly EnqueuedChange[] | null> {
  const { tags, ...rest } = update.columns;
  const write = database
    .update(links)
    .set({
      ...rest,
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
  const caps = writeCap(database, update.linkId, update.smart?.cap);
  if (update.left === null) {
    const [written, enqueued] = await database.batch([write, enqueue, ...caps]);
    return written.length === 1 ? toEnqueued(enqueued) : null;
  }
  const retire = enqueueRetired(database, update.left, lease);
  const [written, enqueued, retired] = await database.batch([write, enqueue, retire, ...caps]);
  return written.length === 1 ? [...toEnqueued(enqueued), ...toEnqueued(retired)] : null;
}
