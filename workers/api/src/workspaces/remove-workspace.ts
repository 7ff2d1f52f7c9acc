/**
 * Deletes a workspace. With the request: its keys end, and its domains lead nowhere any more. By work: its domains' links
 * (remove-domain.ts), and once all of their tombstones are published, its rows. Clicks stay, without a name and without a
 * reader, until `RETENTION_DAYS`, unless they are deleted too; docs/what-remains.md lists what stays for good.
 */
import { enqueueWork, ON_NEWER_WORK } from "@hopline/db/work/enqueue-work";
import type { Again } from "@hopline/db/work/run-work";
import type { WorkItem } from "@hopline/db/work/work-item";
import {
  apiKeys,
  domains,
  folders,
  idempotencyKeys,
  invitations,
  links,
  members,
  tags,
  webhookEndpoints,
  workspaceRequests,
  workspaces,
} from "@hopline/db/schema";
import { and, asc, eq, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { toSql } from "../to-sql.ts";
import type { CustomHostnames } from "../domains/custom-hostnames.ts";
import { REMOVE_DOMAIN } from "../domains/remove-domain.ts";
import { enqueueWrittenDomains, type Lease, toEnqueued } from "../publishing/outbox.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import { insertRemovedClicks } from "../removed-clicks.ts";

export const REMOVE_WORKSPACE = "remove-workspace";

const ROWS_A_STATEMENT = 1_000;
/** Its domains are removed meanwhile. */
const CHECK_AGAIN_AFTER_SECONDS = 10;
/** Hosts that the operator has suspended stay, so that no other workspace adds them, until they are resumed. */
const SUSPENDED_AGAIN_AFTER_SECONDS = 86_400;

type Deps = { readonly database: Database; readonly publisher: Publisher };

/** False when there is no such workspace. */
export async function deleteWorkspace(
  { workspaceId, withClicks }: { readonly workspaceId: string; readonly withClicks: boolean },
  { database, publisher, customHostnames }: Deps & { readonly customHostnames: CustomHostnames | null },
): Promise<boolean> {
  const lease = publisher.newLease();
  const [deleted, , , , , enqueued] = await database.batch([
    database
      .update(workspaces)
      .set({ deletedAt: NOW })
      .where(and(eq(workspaces.id, workspaceId), isNull(workspaces.deletedAt)))
      .returning({ id: workspaces.id }),
    database
      .update(apiKeys)
      .set({ revokedAt: NOW })
      .where(and(eq(apiKeys.workspaceId, workspaceId), isNull(apiKeys.revokedAt))),
    endWebhooks(database, workspaceId),
    ...endDomains(database, { workspaceId, lease, hasHostnames: customHostnames !== null }),
    database.execute(
      toSql(
        enqueueWork([{ kind: REMOVE_WORKSPACE, key: workspaceId, payload: withClicks ? WITH_CLICKS : {} }]),
      ),
    ),
  ]);
  await publisher.publish(toEnqueued(enqueued), lease);
  return deleted.length === 1;
}

const NOW = sql`now()`;

/** Their rows are removed by the job. */
function endWebhooks(database: Database, workspaceId: string) {
  return database
    .update(webhookEndpoints)
    .set({ deletedAt: NOW })
    .where(and(eq(webhookEndpoints.workspaceId, workspaceId), isNull(webhookEndpoints.deletedAt)));
}

type Ending = {
  readonly workspaceId: string;
  readonly lease: Lease | null;
  /** The deployment has custom hostnames, for hosts that are proved. */
  readonly hasHostnames: boolean;
};

/** For one transaction. The last statement enqueues what is published. */
function endDomains(database: Database, { workspaceId, lease, hasHostnames }: Ending) {
  const isLeft = and(eq(domains.workspaceId, workspaceId), isNull(domains.deletedAt));
  return [
    // Takes turns with writes of links on them (place_link, migrations/0002).
    database.select({ id: domains.id }).from(domains).where(isLeft).orderBy(asc(domains.id)).for("update"),
    database.execute(sql`
      WITH ended AS (
        UPDATE domains SET deleted_at = now(), settings = '{}', record = NULL WHERE ${isLeft}
        RETURNING id, host, proof
      )
      INSERT INTO work AS kept (kind, key)
      SELECT ${REMOVE_DOMAIN}, id::text FROM ended
      UNION ALL SELECT 'custom-hostname', host FROM ended WHERE proof = 'dns' AND ${hasHostnames}::boolean
      ORDER BY 1, 2
      ${toSql(ON_NEWER_WORK)}`),
    enqueueWrittenDomains(database, workspaceId, lease),
  ] as const;
}

/** The payload of work that also enqueues the removal of the clicks. */
const WITH_CLICKS = { clicks: "delete" };

/** The handler of the work. */
export async function removeWorkspace(
  { key: workspaceId, payload }: Pick<WorkItem, "key" | "payload">,
  { database, publisher }: Deps,
): Promise<Again | undefined> {
  // A request that was already on its way when the workspace was deleted may have added one since: not yet proved by DNS.
  const [, , enqueued] = await database.batch(
    endDomains(database, { workspaceId, lease: null, hasHostnames: false }),
  );
  await publisher.publishLater(enqueued.rows.length);
  const held = await database
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.workspaceId, workspaceId), isNull(domains.releasedAt)))
    .limit(1);
  if (held.length > 0) {
    return { againInSeconds: CHECK_AGAIN_AFTER_SECONDS };
  }
  const slice = database
    .select({ id: links.id })
    .from(links)
    .where(eq(links.workspaceId, workspaceId))
    .limit(ROWS_A_STATEMENT);
  const gone = await database.delete(links).where(inArray(links.id, slice)).returning({ id: links.id });
  if (gone.length === ROWS_A_STATEMENT) {
    return { againInSeconds: 0 };
  }
  // Who deleted it and when stays, for a caller who asks where it is. Last: nothing of it writes there any more.
  const entries = await database.execute(sql`
    DELETE FROM audit_log WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM audit_log
      WHERE workspace_id = ${workspaceId}::uuid AND action <> 'workspace.deleted' LIMIT ${ROWS_A_STATEMENT}
    )) RETURNING id`);
  if (entries.rows.length === ROWS_A_STATEMENT) {
    return { againInSeconds: 0 };
  }
  const isOurs = eq(domains.workspaceId, workspaceId);
  const [kept] = await database.batch([
    database
      .select({ id: domains.id })
      .from(domains)
      .where(and(isOurs, isNotNull(domains.suspendedAt), ne(domains.proof, "pending"))),
    database.delete(folders).where(eq(folders.workspaceId, workspaceId)),
    database.delete(tags).where(eq(tags.workspaceId, workspaceId)),
    database
      .delete(domains)
      .where(and(isOurs, or(isNull(domains.suspendedAt), eq(domains.proof, "pending")))),
    database.delete(idempotencyKeys).where(eq(idempotencyKeys.ownerId, workspaceId)),
    // One that was made by a request on its way.
    endWebhooks(database, workspaceId),
    database.delete(workspaceRequests).where(eq(workspaceRequests.workspaceId, workspaceId)),
    database.delete(apiKeys).where(eq(apiKeys.workspaceId, workspaceId)),
    database.delete(invitations).where(eq(invitations.workspaceId, workspaceId)),
    database.delete(members).where(eq(members.workspaceId, workspaceId)),
    database
      .delete(workspaces)
      .where(sql`id = ${workspaceId}::uuid AND NOT EXISTS (SELECT FROM domains WHERE ${isOurs})`),
    ...(payload["clicks"] === WITH_CLICKS.clicks
      ? [database.execute(insertRemovedClicks(sql`SELECT ${workspaceId}::uuid, NULL::uuid, NULL::uuid`))]
      : []),
  ]);
  return kept.length === 0
    ? undefined
    : { againInSeconds: SUSPENDED_AGAIN_AFTER_SECONDS, change: { clicks: "removed" } };
}
