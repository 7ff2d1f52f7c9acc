/**
 * Deletes domains with their links. The request publishes a tombstone for the domain, which ends all of its links for visitors
 * at once, and ends its first links itself. The others are ended by work of the kind `remove-domain`, unannounced and behind edits.
 * Until no copy of them is left anywhere, the host stays taken: its next owner must not meet a record of this one.
 *
 * Rows of domains and links stay, without settings: clicks are shown with their names. Unless the clicks are deleted too: then
 * the rows go as soon as the host is free, and the clicks after them.
 */
import type { Again } from "@hopline/db/work/run-work";
import type { WorkItem } from "@hopline/db/work/work-item";
import { ON_NEWER_WORK } from "@hopline/db/work/enqueue-work";
import { domains } from "@hopline/db/schema";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { toSql } from "../to-sql.ts";
import { isExpected } from "../http/list-rows.ts";
import { enqueueEndedLinks, enqueueWrittenOn, HAS_UNPUBLISHED, toEnqueued } from "../publishing/outbox.ts";
import type { CustomHostnames } from "./custom-hostnames.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import { insertRemovedClicks } from "../removed-clicks.ts";

export const REMOVE_DOMAIN = "remove-domain";

/** One round of publishing writes this many to KV well within its lease. */
const LINKS_WITH_THE_REQUEST = 250;
/** A statement of some 100 ms. */
const LINKS_A_STATEMENT = 1_000;
/** For the rest of a small domain; a large one is asked again until it is published. */
const CHECK_AGAIN_AFTER_SECONDS = 5;

type Deps = { readonly database: Database; readonly publisher: Publisher };
type Target = {
  readonly workspaceId: string;
  readonly domainId: string;
  /** The versions in which it may be; `null`: any. */
  readonly ifMatch: readonly number[] | null;
};
type Extent = { readonly withLinks: boolean; readonly withClicks: boolean };

/**
 * False when the workspace has no such domain in that version, or when it has links and `withLinks` is false. `withClicks` also applies to a
 * domain that was deleted before.
 */
export async function deleteDomain(
  { workspaceId, domainId, ifMatch }: Target,
  { withLinks, withClicks }: Extent,
  { database, publisher, customHostnames }: Deps & { readonly customHostnames: CustomHostnames | null },
): Promise<boolean> {
  const lease = publisher.newLease();
  const hasHostname = sql`${customHostnames !== null}::boolean AND proof = 'dns'`;
  const isInVersion = isExpected(domains.version, ifMatch) ?? sql`true`;
  const isOurs = sql`id = ${domainId}::uuid AND workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL`;
  // Without the links: an edit of one has locked it before the domain (place_link, migrations/0002), and both would wait.
  const [, deleted, asked, enqueued] = await database.batch([
    // Takes turns with writes of links on the domain.
    database.execute(sql`SELECT FROM domains WHERE ${isOurs} FOR UPDATE`),
    database.execute(sql`
      WITH deleted AS (
        UPDATE domains SET deleted_at = now(), settings = '{}', record = NULL
        WHERE ${isOurs} AND ${isInVersion} AND (${withLinks}::boolean OR NOT EXISTS (${liveLinksOf(domainId)})) RETURNING id, host, proof
      )
      INSERT INTO work AS kept (kind, key, wanted_at, due_at)
      SELECT kind, key, due_at, due_at
      FROM deleted, (SELECT now() + ${CHECK_AGAIN_AFTER_SECONDS}::float8 * interval '1 second' AS due_at) AS time,
        LATERAL (SELECT ${REMOVE_DOMAIN}, id::text UNION ALL SELECT 'custom-hostname', host WHERE ${hasHostname})
          AS item (kind, key)
      ${toSql(ON_NEWER_WORK)} RETURNING key`),
    database.execute(sql`
      INSERT INTO work AS kept (kind, key, payload)
      SELECT ${REMOVE_DOMAIN}, id::text, ${JSON.stringify(WITH_CLICKS)}::jsonb FROM domains
      WHERE id = ${domainId}::uuid AND workspace_id = ${workspaceId}::uuid AND deleted_at IS NOT NULL AND ${withClicks}::boolean
      ON CONFLICT (kind, key) DO UPDATE SET payload = excluded.payload, revision = kept.revision + 1
      RETURNING key`),
    enqueueWrittenOn(database, domainId, lease),
  ]);
  if (deleted.rows.length === 0) {
    return asked.rows.length === 1;
  }
  const [, ended] = await database.batch([
    endLinks(database, domainId, LINKS_WITH_THE_REQUEST),
    enqueueWrittenOn(database, domainId, lease),
  ]);
  await publisher.publish([...toEnqueued(enqueued), ...toEnqueued(ended)], lease);
  return true;
}

/** The payload of work that removes the rows too, and enqueues the removal of the clicks. */
const WITH_CLICKS = { clicks: "delete" };

/** The handler of the work. */
export async function removeDomain(
  { key: domainId, payload }: Pick<WorkItem, "key" | "payload">,
  { database, publisher }: Deps,
): Promise<Again | undefined> {
  const [ended] = await database.batch([
    endLinks(database, domainId, LINKS_A_STATEMENT),
    ...enqueueEndedLinks(database, domainId),
  ]);
  await publisher.publishLater(ended.rows.length);
  if (ended.rows.length === LINKS_A_STATEMENT) {
    return { againInSeconds: 0 };
  }
  if (!(await releaseHost(database, domainId))) {
    return { againInSeconds: CHECK_AGAIN_AFTER_SECONDS };
  }
  return payload["clicks"] === WITH_CLICKS.clicks ? removeRows(domainId, database) : undefined;
}

/** Of a domain whose host is released. */
async function removeRows(domainId: string, database: Database): Promise<Again | undefined> {
  const links = await database.execute(sql`
    DELETE FROM links WHERE id IN (
      SELECT id FROM links WHERE domain_id = ${domainId}::uuid ORDER BY id LIMIT ${LINKS_A_STATEMENT}
    ) RETURNING id`);
  if (links.rows.length === LINKS_A_STATEMENT) {
    return { againInSeconds: 0 };
  }
  await database.execute(sql`
    WITH gone AS (SELECT workspace_id, id, host FROM domains WHERE id = ${domainId}::uuid AND released_at IS NOT NULL),
    -- The row of one that is suspended keeps the host from being added again.
    deleted AS (DELETE FROM domains WHERE id IN (SELECT id FROM gone) AND suspended_at IS NULL),
    enqueued AS (${insertRemovedClicks(sql`SELECT workspace_id, NULL::uuid, id FROM gone`)})
    SELECT audit_event(workspace_id, 'domain.clicks_deleted', id, host) FROM gone`);
  return undefined;
}

function liveLinksOf(domainId: string): SQL {
  return sql`SELECT id FROM links WHERE domain_id = ${domainId}::uuid AND state <> 'deleted'`;
}

/** Ends links of a domain that is deleted. */
function endLinks(database: Database, domainId: string, limit: number) {
  return database.execute(sql`
    UPDATE links SET state = 'deleted', updated_at = now()
    WHERE id IN (${liveLinksOf(domainId)} ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE)
      AND EXISTS (SELECT FROM domains WHERE id = ${domainId}::uuid AND deleted_at IS NOT NULL)
    RETURNING id`);
}

/** True when the host is free: nothing is left to end or to publish, and no copy of it in KV. */
async function releaseHost(database: Database, domainId: string): Promise<boolean> {
  const { rows } = await database.execute(sql`
    WITH released AS (
      UPDATE domains SET released_at = now()
      WHERE id = ${domainId}::uuid AND deleted_at IS NOT NULL AND released_at IS NULL
        AND NOT EXISTS (${liveLinksOf(domainId)})
        AND NOT ${HAS_UNPUBLISHED}
      RETURNING id
    )
    SELECT FROM domains
    WHERE id = ${domainId}::uuid AND released_at IS NULL AND NOT EXISTS (SELECT FROM released)`);
  return rows.length === 0;
}
