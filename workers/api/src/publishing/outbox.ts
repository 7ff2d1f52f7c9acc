/**
 * The outbox: changes that are committed and not yet published, as work of the kind `publish` in `packages/db/src/work`.
 * Publishes nothing itself.
 *
 * A lease keeps two publishers from working on the same address. A request that enqueues a change gets the lease if it is free,
 * and publishes; otherwise the holder finds the newer version when it settles, and publishes that too.
 */
import { arrivalsKeyOf, isArrivalsKey } from "@hopline/core/feed/arrivals";
import { type LinkKey, linkKeyOf } from "@hopline/core/link/link-address";
import { claimWork } from "@hopline/db/work/claim-work";
import { ON_NEWER_WORK } from "@hopline/db/work/enqueue-work";
import { settleWork } from "@hopline/db/work/settle-work";
import { type Lease, toWorkItem } from "@hopline/db/work/work-item";
import { runWorkTransaction } from "@hopline/db/work/work-transaction";
import { type SQL, sql } from "drizzle-orm";
import { type Database, toRunTransaction } from "../database.ts";

export type { Lease } from "@hopline/db/work/work-item";

/**
 * A committed change on its way to the edge. `recordText` is a tombstone if nothing is at `key` any more, and empty if `key`
 * is a domain's arrivals.
 */
export type OutboxChange = {
  readonly key: LinkKey;
  readonly linkId: string;
  readonly version: number;
  readonly recordText: string;
};

/** A change as it waits in the outbox. */
export type WaitingChange = OutboxChange & {
  /** Grows when the address is enqueued again. */
  readonly revision: number;
  /** KV and the feed have it; it waits for its confirming write. */
  readonly isPublished: boolean;
};

/** `isLeased` is false if another publisher holds the address: that one will publish this version. */
export type EnqueuedChange = WaitingChange & { readonly isLeased: boolean };

export const PUBLISH = "publish";

type OutboxRow = Record<string, unknown>;
/** For `database.batch([...])`, after the write. Read its result with `toEnqueued`. */
export type OutboxStatement = ReturnType<Database["execute"]>;

/** An edit is written to KV a second time this long after the first; see `settle`. Seconds. */
const CONFIRM_AFTER_SECONDS = 120;

/** After an outage, the longest that a change waits for its next try. */
const MAX_DELAY_SECONDS = 60;

/**
 * Enqueues links as the same transaction has just written them: goes into the `database.batch([...])` of the write, after
 * it. A link that the write skipped (its slug was taken, another editor was faster) is not enqueued.
 */
export function enqueueWritten(
  database: Database,
  linkIds: readonly string[],
  lease: Lease,
): OutboxStatement {
  return database.execute(
    insertChanges(sql`${selectLinks(linkIds)} AND ${IS_WRITTEN_HERE} ORDER BY 1`, lease),
  );
}

/** Enqueues links as they are stored, to be published again. */
export function enqueueAgain(database: Database, linkIds: readonly string[], lease: Lease): OutboxStatement {
  return database.execute(insertChanges(sql`${selectLinks(linkIds)} ORDER BY 1`, lease));
}

/**
 * Retires the address that a link has left, and enqueues a tombstone for it: `recordText`, in the link's new version. Goes
 * into the batch after the link's UPDATE, and does nothing unless that applied.
 */
export function enqueueRetired(database: Database, left: OutboxChange, lease: Lease): OutboxStatement {
  return database.execute(sql`
    WITH retired AS (
      INSERT INTO retired_addresses AS kept (link_key, link_id, version)
      SELECT ${left.key}, links.id, links.version FROM links
      WHERE links.id = ${left.linkId}::uuid AND ${IS_WRITTEN_HERE}
      ON CONFLICT (link_key) DO UPDATE SET link_id = excluded.link_id, version = excluded.version, retired_at = now()
        WHERE kept.version < excluded.version
      RETURNING link_key, link_id, version
    )
    ${insertChanges(sql`SELECT link_key, link_id, version, ${left.recordText}::text FROM retired`, lease)}`);
}

/** Enqueues a domain's settings as the same transaction has just written them. */
export function enqueueDomain(
  database: Database,
  { domainId, key }: { readonly domainId: string; readonly key: LinkKey },
  lease: Lease,
): OutboxStatement {
  const settings = sql`
    SELECT ${key}::text, id, version, record FROM domains
    WHERE id = ${domainId}::uuid AND record IS NOT NULL AND domains.xmin = pg_current_xact_id()::xid`;
  return database.execute(insertChanges(settings, lease));
}

/** `%` stands for the host. */
const ARRIVALS_KEYS = arrivalsKeyOf("%");

/**
 * Enqueues one row per domain: links have arrived there, and the edge forgets which slugs it held as unknown. For links that
 * the same transaction has just written and that are not enqueued one by one.
 */
export function enqueueArrivals(
  database: Database,
  linkIds: readonly string[],
  lease: Lease,
): OutboxStatement {
  return database.execute(sql`
    WITH arrived AS (
      SELECT id FROM domains
      WHERE id IN (SELECT domain_id FROM links WHERE links.id = ANY(${array(linkIds, "uuid")}) AND ${IS_WRITTEN_HERE})
      ORDER BY id FOR NO KEY UPDATE
    ),
    counted AS (
      UPDATE domains SET arrivals = arrivals + 1 FROM arrived WHERE domains.id = arrived.id
      RETURNING domains.id, replace(${ARRIVALS_KEYS}, '%', host) AS link_key, arrivals
    )
    ${insertChanges(sql`SELECT link_key, id, arrivals, '' FROM counted ORDER BY link_key`, lease)}`);
}

/** Claims up to `limit` due changes that no other publisher is claiming right now. */
export async function claimDue(
  database: Database,
  limit: number,
  lease: Lease,
): Promise<readonly WaitingChange[]> {
  const wanted = { kind: PUBLISH, limit, leaseSeconds: lease.seconds };
  const [rows] = await runWorkTransaction(toRunTransaction(database), [claimWork(lease.id, [wanted])]);
  return (rows ?? []).map(toChange);
}

/** Milliseconds until the next unpublished change is due, 0 for now; `null` if there is none. */
export async function findNextDueMs(database: Database): Promise<number | null> {
  const result = await database.execute(sql`
    SELECT (extract(epoch FROM min(due_at) - now()) * 1000)::float8 AS due_in_ms
    FROM work WHERE kind = ${PUBLISH} AND ${IS_UNPUBLISHED}`);
  const dueInMs = result.rows[0]?.["due_in_ms"];
  return typeof dueInMs === "number" ? Math.max(0, dueInMs) : null;
}

/** Whether the newest change of this address has not yet reached KV and the feed. */
export async function isUnpublished(database: Database, key: LinkKey): Promise<boolean> {
  const result = await database.execute(sql`
    SELECT 1 FROM work WHERE kind = ${PUBLISH} AND key = ${key} AND ${IS_UNPUBLISHED}`);
  return result.rows.length > 0;
}

/** The result of a round of publishing. */
export type Published = {
  readonly done: readonly WaitingChange[];
  readonly failed: readonly FailedChange[];
};

export type FailedChange = { readonly change: WaitingChange; readonly error: string };

/**
 * Ends a publisher's work on these changes, in one call. Resolves to the changes that were committed at their addresses in the
 * meantime: the lease on those is renewed, and the caller publishes them.
 *
 * A first version is deleted, because nothing older exists; so are arrivals, which are not in KV. A later version stays for a
 * confirming write after `CONFIRM_AFTER_SECONDS`, because KV has no compare-and-set: a back-fill or a slower publisher may
 * write an older version after ours, but only while its request lives (30 s past the response), so the second write is final.
 * Failed changes are left to the scheduled job, with a growing delay.
 */
export async function settle(
  database: Database,
  { done, failed }: Published,
  lease: Lease,
): Promise<readonly WaitingChange[]> {
  const settlements = [
    ...done.map((change) => ({ ...toItem(change), ...(isFinal(change) ? DONE : CONFIRM) })),
    ...failed.map(({ change, error }) => ({
      ...toItem(change),
      outcome: "failed" as const,
      error,
      maxDelaySeconds: MAX_DELAY_SECONDS,
    })),
  ];
  const results = await runWorkTransaction(toRunTransaction(database), settleWork(lease, settlements));
  return (results.at(-1) ?? []).map(toChange);
}

const DONE = { outcome: "done" } as const;
const CONFIRM = {
  outcome: "again",
  inSeconds: CONFIRM_AFTER_SECONDS,
  change: { isPublished: true },
} as const;
const IS_UNPUBLISHED: SQL = sql`payload ->> 'isPublished' IS NULL`;

function toItem({ key, revision }: WaitingChange) {
  return { kind: PUBLISH, key, revision };
}

/** No further write is needed. */
function isFinal({ key, version, isPublished }: WaitingChange): boolean {
  return isPublished || version === 1 || isArrivalsKey(key);
}

/** The rows of an `enqueue…` statement, alone or from a batch. */
export function toEnqueued(result: { readonly rows: readonly OutboxRow[] }): readonly EnqueuedChange[] {
  return result.rows.map((row) => ({ ...toChange(row), isLeased: row["is_leased"] === true }));
}

/** This transaction wrote the row version. */
export const IS_WRITTEN_HERE: SQL = sql`links.xmin = pg_current_xact_id()::xid`;

function selectLinks(linkIds: readonly string[]): SQL {
  return sql`
    SELECT domains.host || '/' || links.slug, links.id, links.version, links.record
    FROM links JOIN domains ON domains.id = links.domain_id WHERE links.id = ANY(${array(linkIds, "uuid")})`;
}

/**
 * Enqueues the rows of `changes`: key, link, version, record. They have to be ordered by key, so that two batches never
 * deadlock. A newer version replaces a waiting one; the same version (a purge) starts over. A valid lease stays.
 */
function insertChanges(changes: SQL, lease: Lease): SQL {
  return sql`
    INSERT INTO work AS kept (kind, key, payload, lease, due_at)
    SELECT ${PUBLISH}, link_key, jsonb_build_object('linkId', link_id, 'version', version, 'record', record),
      ${lease.id}::uuid, now() + ${lease.seconds}::float8 * interval '1 second'
    FROM (${changes}) AS change (link_key, link_id, version, record)
    ${sql.raw(ON_NEWER_WORK)}
    WHERE (kept.payload ->> 'version')::bigint <= (excluded.payload ->> 'version')::bigint
    RETURNING kind, key, payload, revision, attempts, lease = ${lease.id}::uuid AS is_leased`;
}

function toChange(row: OutboxRow): WaitingChange {
  const { key, payload, revision } = toWorkItem(row);
  return {
    key: toLinkKey(key),
    linkId: String(payload["linkId"]),
    version: Number(payload["version"]),
    recordText: String(payload["record"]),
    revision,
    isPublished: payload["isPublished"] === true,
  };
}

function toLinkKey(text: string): LinkKey {
  const slash = text.indexOf("/");
  return linkKeyOf(text.slice(0, slash), text.slice(slash + 1));
}

/** One parameter per array: drizzle would spread it into a list, and the statement's text would vary. */
function array(values: readonly unknown[], type: "uuid" | "text" | "bigint" | "boolean"): SQL {
  return sql`${sql.param([...values])}::${sql.raw(type)}[]`;
}
