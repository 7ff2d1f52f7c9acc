/** Changes a domain's settings and enqueues what the edge must hear of it, in one transaction. */
import { domainKeyOf } from "@hopline/core/link/domain-record";
import { domains, links } from "@hopline/db/schema";
import { and, eq, sql } from "drizzle-orm";
import { enqueueDomain, type EnqueuedChange, type Lease, toEnqueued } from "../publishing/outbox.ts";
import type { Database } from "../database.ts";

export type DomainUpdate = {
  readonly id: string;
  readonly workspaceId: string;
  readonly host: string;
  /** The version that the update was planned on; it applies to no other. */
  readonly fromVersion: number;
  readonly settings: Readonly<Record<string, unknown>>;
  /** As published, in the version after that. */
  readonly record: string;
  /** Links that follow the domain's redirect status are behind from now on. */
  readonly hasNewStatus: boolean;
};

/** `null` when the domain is not there in that version: changed meanwhile, or gone. */
export async function updateDomain(
  database: Database,
  update: DomainUpdate,
  lease: Lease,
): Promise<readonly EnqueuedChange[] | null> {
  const [written, enqueued] = await database.batch([
    database
      .update(domains)
      .set({
        settings: update.settings,
        version: update.fromVersion + 1,
        record: update.record,
        ...(update.hasNewStatus ? { statusChangedAt: sql`now()` } : {}),
      })
      .where(
        and(
          eq(domains.workspaceId, update.workspaceId),
          eq(domains.id, update.id),
          eq(domains.version, update.fromVersion),
        ),
      )
      .returning({ id: domains.id }),
    enqueueDomain(database, { domainId: update.id, key: domainKeyOf(update.host) }, lease),
  ]);
  return written.length === 1 ? toEnqueued(enqueued) : null;
}

/** Whether a link of the domain has a slug that is not in lower case. */
export async function hasMixedCase(database: Database, domainId: string): Promise<boolean> {
  const rows = await database
    .select({ id: links.id })
    .from(links)
    .where(
      and(
        eq(links.domainId, domainId),
        sql`${links.state} <> 'deleted' AND ${links.slug} <> lower(${links.slug})`,
      ),
    )
    .limit(1);
  return rows.length > 0;
}
