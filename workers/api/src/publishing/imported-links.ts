/**
 * Imported links on their way to KV, as work of the kind `publish-import`: apart from edits and deletions, which go first.
 * Isolates know that links arrived on the domain; until KV has a link, Postgres answers its visitors. `pnpm publish-again`
 * enqueues links here too.
 *
 * The lease of `publish` does not cover these rows. Should a link be edited while it is written here, the edit's confirming
 * write comes last.
 */
import { claimWork } from "@hopline/db/work/claim-work";
import { ON_NEWER_WORK } from "@hopline/db/work/enqueue-work";
import { settleWork } from "@hopline/db/work/settle-work";
import { toWorkItem, type WorkItem } from "@hopline/db/work/work-item";
import { runWorkTransaction } from "@hopline/db/work/work-transaction";
import { sql } from "drizzle-orm";
import { type Database, toRunTransaction, toSql } from "../database.ts";
import {
  areWrittenHere,
  type Lease,
  MAX_DELAY_SECONDS,
  type OutboxChange,
  type OutboxStatement,
  PUBLISH_IMPORT,
  toLinkKey,
} from "./outbox.ts";

/** `change` is `null` if there is nothing to write: the address was changed since, and is published in its newer version. */
export type ImportedLink = {
  readonly item: WorkItem;
  readonly change: (OutboxChange & { readonly isLeftOut: boolean }) | null;
};

export type Imported = {
  readonly done: readonly ImportedLink[];
  readonly failed: readonly { readonly link: ImportedLink; readonly error: string }[];
};

/** Goes into the batch that writes the links, after the write. Leaves out addresses where something was published before. */
export function enqueueImported(database: Database, linkIds: readonly string[]): OutboxStatement {
  return database.execute(sql`
    INSERT INTO work AS kept (kind, key, payload)
    SELECT ${PUBLISH_IMPORT}, host || '/' || slug, jsonb_build_object('host', host, 'slug', slug, 'version', version)
    FROM addresses WHERE ${areWrittenHere(linkIds)} AND version = 1 ORDER BY 2
    ${toSql(ON_NEWER_WORK)}`);
}

/** Claims up to `limit` links, and reads their addresses as they are now. */
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
  const { rows: current } = await database.execute(sql`
    SELECT host || '/' || slug AS key, link_id, version, record, left_out
    FROM jsonb_to_recordset(${JSON.stringify(items.map(({ payload }) => payload))}::jsonb)
      AS imported (host text, slug text, version bigint)
    JOIN addresses USING (host, slug, version)`);
  const changes = current.map((row) => ({
    key: toLinkKey(String(row["key"])),
    linkId: String(row["link_id"]),
    version: Number(row["version"]),
    recordText: String(row["record"]),
    isLeftOut: row["left_out"] === true,
  }));
  const changeOf = new Map<string, NonNullable<ImportedLink["change"]>>(
    changes.map((change) => [change.key, change]),
  );
  return items.map((item) => ({ item, change: changeOf.get(item.key) ?? null }));
}

type Budgeted = { readonly granted: readonly ImportedLink[]; readonly leftOut: readonly ImportedLink[] };

/** KV has nothing at its address for certain: nobody has tried before. */
function isUnwritten({ item }: ImportedLink): boolean {
  return item.attempts === 1 && item.payload["again"] !== true;
}

/** Notes which links are left out of KV for want of writes, and which are so no more, before they are written. */
export async function noteLeftOut(database: Database, { granted, leftOut }: Budgeted): Promise<void> {
  const items = [
    ...granted.map(({ item }) => ({ ...item.payload, leftOut: false })),
    ...leftOut.filter(isUnwritten).map(({ item }) => ({ ...item.payload, leftOut: true })),
  ];
  if (leftOut.length === 0 && granted.every(({ change }) => change?.isLeftOut !== true)) {
    return;
  }
  await database.execute(sql`
    UPDATE addresses SET left_out = item."leftOut"
    FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb) AS item (host text, slug text, version bigint, "leftOut" boolean)
    WHERE addresses.host = item.host AND addresses.slug = item.slug AND addresses.version = item.version
      AND left_out <> item."leftOut"`);
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
