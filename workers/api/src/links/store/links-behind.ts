/** Links that follow their domain's redirect status and still have an earlier one, of whichever workspace. */
import type { RedirectStatus } from "@hopline/core/link/link-record";
import { type SQL, sql } from "drizzle-orm";
import { type EnqueuedChange, enqueueWritten, type Lease, toEnqueued } from "../../publishing/outbox.ts";
import type { Database } from "../../database.ts";

export type LinkBehind = {
  readonly id: string;
  readonly version: number;
  /** The link as published in that version. */
  readonly record: string;
  /** `null`: the domain has no opinion. */
  readonly domainStatus: number | null;
};

/**
 * A request that read the domain before its change may write a link after it. Requests do not live this long, so a
 * domain is looked after for as long.
 */
const LATE_WRITES_END_AFTER_SECONDS = 60;

/** The statuses are named one by one, so that the index over them is used. */
const IS_BEHIND: SQL = sql`links.domain_id = domains.id AND links.follows_domain_status AND links.state <> 'deleted'
  AND links.redirect_status = ANY(array_remove(
    '{301,302,307,308}'::smallint[], coalesce((domains.settings ->> 'redirectStatus')::smallint, 302::smallint)))`;

/** Of one domain, or of all; of the one that was changed first before others. */
export async function findLinksBehind(
  database: Database,
  limit: number,
  domainId: string | undefined,
): Promise<readonly LinkBehind[]> {
  const isAsked = domainId === undefined ? sql`true` : sql`domains.id = ${domainId}::uuid`;
  const { rows } = await database.execute(sql`
    SELECT links.id, links.version, links.record, (domains.settings ->> 'redirectStatus')::integer AS domain_status
    FROM domains JOIN links ON ${IS_BEHIND}
    WHERE domains.status_changed_at IS NOT NULL AND ${isAsked}
    ORDER BY domains.status_changed_at LIMIT ${limit}`);
  return rows.map((row) => ({
    id: String(row["id"]),
    version: Number(row["version"]),
    record: String(row["record"]),
    domainStatus: typeof row["domain_status"] === "number" ? row["domain_status"] : null,
  }));
}

export type Restamped = {
  readonly id: string;
  /** The version it was read in; a link that has another by now is left alone. */
  readonly version: number;
  readonly redirectStatus: RedirectStatus;
  /** In the version after that. */
  readonly record: string;
};

/** Writes and enqueues them in one transaction. Rows are locked in order first, for an UPDATE locks in none. */
export async function restampLinks(
  database: Database,
  restamped: readonly Restamped[],
  lease: Lease,
): Promise<readonly EnqueuedChange[]> {
  if (restamped.length === 0) {
    return [];
  }
  const [, enqueued] = await database.batch([
    database.execute(sql`
      WITH item AS (
        SELECT * FROM jsonb_to_recordset(${JSON.stringify(restamped)}::jsonb)
          AS item (id uuid, version bigint, "redirectStatus" smallint, record text)
      ),
      locked AS (
        SELECT links.id FROM links JOIN item USING (id, version) ORDER BY links.id FOR NO KEY UPDATE OF links
      )
      UPDATE links SET redirect_status = item."redirectStatus", version = item.version + 1, record = item.record,
        updated_at = now()
      FROM item JOIN locked USING (id) WHERE links.id = item.id`),
    enqueueWritten(
      database,
      restamped.map(({ id }) => id),
      lease,
    ),
  ]);
  return toEnqueued(enqueued);
}

/** Forgets the changes of domains whose links have all followed. */
export async function clearFollowed(database: Database): Promise<void> {
  await database.execute(sql`
    UPDATE domains SET status_changed_at = NULL
    WHERE status_changed_at < now() - ${LATE_WRITES_END_AFTER_SECONDS}::float8 * interval '1 second'
      AND NOT EXISTS (SELECT FROM links WHERE ${IS_BEHIND})`);
}
