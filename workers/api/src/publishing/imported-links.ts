/**
 * Imported links on their way to KV, as work of the kind `publish-import`: apart from edits and deletions, which go first.
 * Isolates know that links arrived on the domain; until KV has a link, Postgres answers its visitors.
 *
 * Only for first versions, because the lease of `publish` does not cover these rows. Should a link be edited while it is
 * written here, the edit's confirming write comes last.
 */
import { claimWork } from "@hopline/db/work/claim-work";
import { ON_NEWER_WORK } from "@hopline/db/work/enqueue-work";
import { settleWork } from "@hopline/db/work/settle-work";
import { toWorkItem, type WorkItem } from "@hopline/db/work/work-item";
import { runWorkTransaction } from "@hopline/db/work/work-transaction";
import { sql } from "drizzle-orm";
import { type Database, toRunTransaction } from "../database.ts";
import {
  areWrittenHere,
  type Lease,
  MAX_DELAY_SECONDS,
  type OutboxChange,
  type OutboxStatement,
  PUBLISH_IMPORT,
  toLinkKey,
} from "./outbox.ts";

/** `change` is `null` if there is nothing to write: the link was changed since, and is published in its newer version. */
export type ImportedLink = { readonly item: WorkItem; readonly change: OutboxChange | null };

export type Imported = {
  readonly done: readonly ImportedLink[];
  readonly failed: readonly { readonly link: ImportedLink; readonly error: string }[];
};

/** Goes into the batch that writes the links, after the write. Leaves out addresses where something was published before. */
export function enqueueImported(database: Database, linkIds: readonly string[]): OutboxStatement {
  return database.execute(sql`
    INSERT INTO work AS kept (kind, key, payload)
    SELECT ${PUBLISH_IMPORT}, host || '/' || slug, jsonb_build_object('linkId', link_id, 'version', version)
    FROM addresses WHERE ${areWrittenHere(linkIds)} AND version = 1 ORDER BY 2
    ${sql.raw(ON_NEWER_WORK)}`);
}

/** Claims up to `limit` links, and reads them as they are stored now. */
export async function claimImported(
  database: Database,
  limit: number,
  lease: Lease,
): Promise<readonly ImportedLink[]> {
  const wanted = { kind: PUBLISH_IMPORT, limit, leaseSeconds: lease.seconds };
  const [rows] = await runWorkTransaction(toRunTransaction(database), [claimWork(lease.id, [wanted])]);
  const items = (rows ?? []).map(toWorkItem);
  if (items.length === 0) {
    return [];
  }
  const linkIds = items.map(({ payload }) => String(payload["linkId"]));
  const stored = await database.execute(sql`
    SELECT id, version, record FROM links WHERE id = ANY(${sql.param(linkIds)}::uuid[])`);
  const recordOf = new Map(
    stored.rows.map((row) => [`${String(row["id"])} ${String(row["version"])}`, String(row["record"])]),
  );
  return items.map((item) => {
    const { linkId, version } = item.payload;
    const recordText = recordOf.get(`${String(linkId)} ${String(version)}`);
    const key = toLinkKey(item.key);
    const change = { key, linkId: String(linkId), version: Number(version) };
    return { item, change: recordText === undefined ? null : { ...change, recordText } };
  });
}

/** Failed ones are left to the scheduled job, with a growing delay. */
export async function settleImported(
  database: Database,
  { done, failed }: Imported,
  lease: Lease,
): Promise<void> {
  const settlements = [
    ...done.map(({ item }) => ({ ...item, leaseSeconds: lease.seconds, outcome: "done" as const })),
    ...failed.map(({ link, error }) => ({
      ...link.item,
      leaseSeconds: lease.seconds,
      outcome: "failed" as const,
      error,
      maxDelaySeconds: MAX_DELAY_SECONDS,
    })),
  ];
  await runWorkTransaction(toRunTransaction(database), settleWork(lease.id, settlements));
}
