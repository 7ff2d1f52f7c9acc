/**
 * Gives links without a redirect status of their own the current default of their domain. The status is part of each link's
 * record, so that a redirect need not look up the domain; a new default is therefore a new version of each of these links.
 * The remaining work is derived from the rows alone, so a crash or a race loses nothing: the job looks again every minute.
 */
import { encodeLinkRecord } from "@hopline/core/link/link-record";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { type EnqueuedChange, enqueueWritten, type Lease, toEnqueued } from "../publishing/outbox.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import { defaultStatusOf, readRecord } from "./compile-record.ts";

/** One round of publishing writes this many to KV well within its lease. */
export const FOLLOW_AT_ONCE = 250;

/** For one domain, or for all that were changed. */
type Work = { readonly maxLinks: number; readonly domainId?: string };

type Deps = { readonly database: Database; readonly publisher: Publisher };

/** Updates up to `maxLinks` links, oldest change first. Resolves to how many; rejects when the database can't be reached. */
export async function followDomainStatus(
  { maxLinks, domainId }: Work,
  { database, publisher }: Deps,
): Promise<number> {
  let done = 0;
  while (done < maxLinks) {
    const limit = Math.min(FOLLOW_AT_ONCE, maxLinks - done);
    const behind = await findLinksBehind(database, limit, domainId);
    const lease = publisher.newLease();
    const changes = await updateLinks(database, behind, lease);
    await publisher.publish(changes, lease);
    done += changes.length;
    if (behind.length < limit) {
      await clearFollowed(database);
      break;
    }
    if (changes.length === 0) {
      // All of them were changed in the meantime, which gave them the new status.
      break;
    }
  }
  return done;
}

/**
 * A request that read the domain before its change may write a link after it. Requests end within this time, so a domain is
 * checked for as long.
 */
const LATE_WRITES_END_AFTER_SECONDS = 60;

/** The statuses are listed one by one so that their index is used. */
const IS_BEHIND: SQL = sql`links.domain_id = domains.id AND links.follows_domain_status AND links.state <> 'deleted'
  AND links.redirect_status = ANY(array_remove(
    '{301,302,307,308}'::smallint[], coalesce((domains.settings ->> 'redirectStatus')::smallint, 302::smallint)))`;

type LinkBehind = {
  readonly id: string;
  readonly version: number;
  /** The link as published in that version. */
  readonly record: string;
  /** The domain's; `null`: it has none. */
  readonly redirectStatus: number | null;
};

async function findLinksBehind(
  database: Database,
  limit: number,
  domainId: string | undefined,
): Promise<readonly LinkBehind[]> {
  const isWanted = domainId === undefined ? sql`true` : sql`domains.id = ${domainId}::uuid`;
  const { rows } = await database.execute(sql`
    SELECT links.id, links.version, links.record, (domains.settings ->> 'redirectStatus')::integer AS domain_status
    FROM domains JOIN links ON ${IS_BEHIND}
    WHERE domains.status_changed_at IS NOT NULL AND ${isWanted}
    ORDER BY domains.status_changed_at LIMIT ${limit}`);
  return rows.map((row) => ({
    id: String(row["id"]),
    version: Number(row["version"]),
    record: String(row["record"]),
    redirectStatus: typeof row["domain_status"] === "number" ? row["domain_status"] : null,
  }));
}

/** In one transaction. An UPDATE locks rows in no order, so they are locked first; a link in another version is skipped. */
async function updateLinks(
  database: Database,
  behind: readonly LinkBehind[],
  lease: Lease,
): Promise<readonly EnqueuedChange[]> {
  if (behind.length === 0) {
    return [];
  }
  const items = behind.map(({ id, version, record, ...domain }) => {
    const redirectStatus = defaultStatusOf(domain);
    const next = { ...readRecord(record), version: version + 1, redirectStatus };
    return { id, version, redirectStatus, record: encodeLinkRecord(next) };
  });
  const ids = behind.map(({ id }) => id);
  const [, enqueued] = await database.batch([
    database.execute(sql`
      WITH item AS (
        SELECT * FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
          AS item (id uuid, version bigint, "redirectStatus" smallint, record text)
      ),
      locked AS (
        SELECT links.id FROM links JOIN item USING (id, version) ORDER BY links.id FOR NO KEY UPDATE OF links
      )
      UPDATE links SET redirect_status = item."redirectStatus", version = item.version + 1, record = item.record,
        updated_at = now()
      FROM item JOIN locked USING (id) WHERE links.id = item.id`),
    enqueueWritten(database, ids, lease),
  ]);
  return toEnqueued(enqueued);
}

/** Marks domains as done whose links have all been updated. */
async function clearFollowed(database: Database): Promise<void> {
  await database.execute(sql`
    UPDATE domains SET status_changed_at = NULL
    WHERE status_changed_at < now() - ${LATE_WRITES_END_AFTER_SECONDS}::float8 * interval '1 second'
      AND NOT EXISTS (SELECT FROM links WHERE ${IS_BEHIND})`);
}
