/** Changes a link and enqueues what the edge must hear of it, in one transaction. */
import type { LinkState, RedirectStatus } from "@hopline/core/link-record";
import { links } from "@hopline/db/schema";
import { and, eq, sql } from "drizzle-orm";
import {
  type EnqueuedChange,
  enqueueWritten,
  enqueueRetired,
  type Lease,
  type OutboxChange,
  toEnqueued,
} from "../publishing/outbox.ts";
import type { Database } from "./database.ts";

export type LinkUpdate = {
  readonly workspaceId: string;
  readonly linkId: string;
  /** The version after the update; it applies only to the one before. */
  readonly version: number;
  /** What becomes of the columns; those left out stay. */
  readonly columns: {
    readonly slug?: string;
    readonly url?: string;
    readonly state?: LinkState;
    readonly redirectStatus?: RedirectStatus;
    readonly title?: string | null;
  };
  /** The link as published, in the new version. */
  readonly record: string;
  /** A tombstone in the new version for the address that a new slug leaves behind. */
  readonly left: OutboxChange | null;
};

/**
 * Applies an update; `null` when the link is not there in the version before: changed meanwhile, or gone. Rejects with
 * the driver's error, nothing applied, when the new slug is taken.
 */
export async function updateLink(
  database: Database,
  update: LinkUpdate,
  lease: Lease,
): Promise<readonly EnqueuedChange[] | null> {
  const write = database
    .update(links)
    .set({ ...update.columns, version: update.version, record: update.record, updatedAt: sql`now()` })
    .where(
      and(
        eq(links.workspaceId, update.workspaceId),
        eq(links.id, update.linkId),
        eq(links.version, update.version - 1),
      ),
    )
    .returning({ id: links.id });
  const enqueue = enqueueWritten(database, [update.linkId], lease);
  if (update.left === null) {
    const [written, enqueued] = await database.batch([write, enqueue]);
    return written.length === 1 ? toEnqueued(enqueued) : null;
  }
  const retire = enqueueRetired(database, update.left, lease);
  const [written, enqueued, retired] = await database.batch([write, enqueue, retire]);
  return written.length === 1 ? [...toEnqueued(enqueued), ...toEnqueued(retired)] : null;
}
