/**
 * The outbox in SQL: changes that are committed and not yet published. Owns the table `link_outbox`; publishes nothing
 * itself.
 *
 * A lease keeps two publishers from working on the same address. A request that enqueues a change gets the lease if it is free,
 * and publishes; otherwise the holder finds the newer version when it settles, and publishes that too.
 */
import { ANY_SLUG, isArrivalsKey } from "@hopline/core/feed/arrivals";
import { type LinkKey, linkKeyOf } from "@hopline/core/link/link-address";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";

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

/** `isLeased` is false if another publisher holds the address: that one will publish this version. */
export type EnqueuedChange = OutboxChange & { readonly isLeased: boolean };

/** The right to publish the rows that carry it. One publisher holds it, for a limited time. */
export type Lease = {
  /** UUID. */
  readonly id: string;
  readonly seconds: number;
};

type OutboxRow = Record<string, unknown>;
/** For `database.batch([...])`, after the write. Read its result with `toEnqueued`. */
export type OutboxStatement = ReturnType<Database["execute"]>;

/** An edit is written to KV a second time this long after the first; see `settle`. Seconds. */
export const CONFIRM_AFTER_SECONDS = 120;

/** Which of the addresses that were written go into the outbox one by one. */
export type EnqueuedAddresses =
  | "all"
  /** Those where something was published before: KV may hold it. */
  | "used-before";

/**
 * Enqueues the addresses of links and domains as the same transaction has just written them: goes into the
 * `database.batch([...])` of the write, after it. What the write skipped (a slug was taken, another editor was faster) is
 * not enqueued. Aliases are among them, and tombstones of what was deleted.
 */
export function enqueueWritten(
  database: Database,
  ids: readonly string[],
  lease: Lease,
  addresses: EnqueuedAddresses = "all",
): OutboxStatement {
  const isWanted = addresses === "all" ? sql`true` : sql`version > 1`;
  const isOfThese = sql`link_id = ANY(${array(ids, "uuid")})`;
  return database.execute(insertAddresses(sql`${isOfThese} AND ${ARE_WRITTEN_HERE} AND ${isWanted}`, lease));
}

/** The same for a domain and all of its links that were written. */
export function enqueueWrittenOn(database: Database, domainId: string, lease: Lease): OutboxStatement {
  const links = sql`SELECT id FROM links WHERE domain_id = ${domainId}::uuid AND ${IS_WRITTEN_HERE}`;
  const isOfThese = sql`(link_id = ${domainId}::uuid OR link_id IN (${links}))`;
  return database.execute(insertAddresses(sql`${isOfThese} AND ${ARE_WRITTEN_HERE}`, lease));
}

/** Enqueues the addresses of links as they are stored, to be published again. */
export function enqueueAgain(database: Database, linkIds: readonly string[], lease: Lease): OutboxStatement {
  const isOfThese = sql`link_id = ANY(${array(linkIds, "uuid")})`;
  return database.execute(insertAddresses(sql`${isOfThese} AND ended_at IS NULL`, lease));
}

/**
 * Enqueues one row per domain: links have arrived there, and the edge forgets which slugs it held as unknown. For links that
 * the same transaction has just written and that are not enqueued one by one. The host's count outlives its domains.
 */
export function enqueueArrivals(
  database: Database,
  linkIds: readonly string[],
  lease: Lease,
): OutboxStatement {
  return database.execute(sql`
    WITH counted AS (
      INSERT INTO addresses AS kept (host, slug, version, link_id, record)
      SELECT DISTINCT host, ${ANY_SLUG}, 1, domains.id, ''
      FROM links JOIN domains ON domains.id = links.domain_id
      WHERE links.id = ANY(${array(linkIds, "uuid")}) AND ${IS_WRITTEN_HERE}
      ORDER BY host
      ON CONFLICT (host, slug) DO UPDATE SET version = kept.version + 1, link_id = excluded.link_id
      RETURNING host || '/' || slug AS link_key, link_id, version, record
    )
    INSERT INTO link_outbox AS kept (link_key, link_id, version, record, lease, due_at)
    SELECT link_key, link_id, version, record, ${lease.id}::uuid, ${inSeconds(lease.seconds)} FROM counted ORDER BY 1
    ${onNewer(lease)}`);
}

/** Claims up to `limit` due rows that no other publisher is claiming right now. */
export async function claimDue(
  database: Database,
  limit: number,
  lease: Lease,
): Promise<readonly OutboxChange[]> {
  const result = await database.execute(sql`
    WITH due AS (
      SELECT link_key FROM link_outbox WHERE due_at <= now() ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE link_outbox SET lease = ${lease.id}::uuid, due_at = ${inSeconds(lease.seconds)}, attempts = attempts + 1
    FROM due WHERE link_outbox.link_key = due.link_key
    RETURNING link_outbox.link_key, link_id, version, record`);
  return result.rows.map(toChange);
}

/** Milliseconds until the next unpublished row is due, 0 for now; `null` if there is none. */
export async function findNextDueMs(database: Database): Promise<number | null> {
  const result = await database.execute(sql`
    SELECT (extract(epoch FROM min(due_at) - now()) * 1000)::float8 AS due_in_ms
    FROM link_outbox WHERE published_at IS NULL`);
  const dueInMs = result.rows[0]?.["due_in_ms"];
  return typeof dueInMs === "number" ? Math.max(0, dueInMs) : null;
}

/** Whether the newest change of this address has not yet reached KV and the feed. */
export async function isUnpublished(database: Database, key: LinkKey): Promise<boolean> {
  const result = await database.execute(sql`
    SELECT 1 FROM link_outbox WHERE link_key = ${key} AND published_at IS NULL`);
  return result.rows.length > 0;
}

/** The result of a round of publishing. */
export type Published = {
  readonly done: readonly OutboxChange[];
  readonly failed: readonly OutboxChange[];
};

/**
 * Ends a publisher's work on these rows, in one call. Resolves to the changes that were committed at their addresses in the
 * meantime: the lease on those is renewed, and the caller publishes them.
 *
 * A first version is deleted, because nothing older exists; so are arrivals, which are not in KV. A later version stays for a
 * confirming write after `CONFIRM_AFTER_SECONDS`, because KV has no compare-and-set: a back-fill or a slower publisher may
 * write an older version after ours, but only while its request lives (30 s past the response), so the second write is final.
 * Failed rows are left to the scheduled job, with a growing delay.
 */
export async function settle(
  database: Database,
  published: Published,
  lease: Lease,
): Promise<readonly OutboxChange[]> {
  const [, overtaken] = await database.batch([
    endLeases(database, published, lease),
    // A separate statement, so that it sees what was committed while the first one waited for a row.
    database.execute(sql`
      UPDATE link_outbox SET due_at = ${inSeconds(lease.seconds)} WHERE lease = ${lease.id}::uuid
      RETURNING link_key, link_id, version, record`),
  ]);
  return overtaken.rows.map(toChange);
}

/** Releases the lease of every row that is still what was published; a newer version at its address keeps it. */
function endLeases(database: Database, { done, failed }: Published, lease: Lease): OutboxStatement {
  const keysOf = (changes: readonly OutboxChange[]) => changes.map(({ key }) => key);
  const versions = done.map(({ version }) => version);
  return database.execute(sql`
    WITH done AS (
      SELECT link_key, version, is_final
      FROM unnest(${array(keysOf(done), "text")}, ${array(versions, "bigint")},
        ${array(done.map(isFinal), "boolean")}) AS done (link_key, version, is_final)
    ),
    cleared AS (
      DELETE FROM link_outbox USING done
      WHERE link_outbox.link_key = done.link_key AND link_outbox.version = done.version
        AND lease = ${lease.id}::uuid AND (is_final OR published_at IS NOT NULL)
    ),
    confirming AS (
      UPDATE link_outbox
      SET published_at = now(), lease = NULL, attempts = 0, due_at = ${inSeconds(CONFIRM_AFTER_SECONDS)}
      FROM done
      WHERE link_outbox.link_key = done.link_key AND link_outbox.version = done.version
        AND lease = ${lease.id}::uuid AND NOT is_final AND published_at IS NULL
    )
    UPDATE link_outbox
    SET lease = NULL, due_at = now() + least(60, power(2, least(attempts, 6))) * interval '1 second'
    WHERE lease = ${lease.id}::uuid AND link_key = ANY(${array(keysOf(failed), "text")})`);
}

/** One write is enough: no older one can follow it. */
function isFinal({ key, version }: OutboxChange): boolean {
  return version === 1 || isArrivalsKey(key);
}

/** The rows of an `enqueue…` statement, alone or from a batch. */
export function toEnqueued(result: { readonly rows: readonly OutboxRow[] }): readonly EnqueuedChange[] {
  return result.rows.map((row) => ({ ...toChange(row), isLeased: row["is_leased"] === true }));
}

/** This transaction wrote the row version. */
export const IS_WRITTEN_HERE: SQL = sql`links.xmin = pg_current_xact_id()::xid`;

const ARE_WRITTEN_HERE: SQL = sql`addresses.xmin = pg_current_xact_id()::xid`;

/** Ordered by address, so that two batches never deadlock. */
function insertAddresses(isWanted: SQL, lease: Lease): SQL {
  return sql`
    INSERT INTO link_outbox AS kept (link_key, link_id, version, record, lease, due_at)
    SELECT host || '/' || slug, link_id, version, record, ${lease.id}::uuid, ${inSeconds(lease.seconds)}
    FROM addresses WHERE ${isWanted} ORDER BY 1
    ${onNewer(lease)}`;
}

function toChange(row: OutboxRow): OutboxChange {
  return {
    key: toLinkKey(String(row["link_key"])),
    linkId: String(row["link_id"]),
    version: Number(row["version"]),
    recordText: String(row["record"]),
  };
}

function toLinkKey(text: string): LinkKey {
  const slash = text.indexOf("/");
  return linkKeyOf(text.slice(0, slash), text.slice(slash + 1));
}

/** A newer version replaces a waiting one; the same version (a purge) starts over. A valid lease stays. */
function onNewer(lease: Lease): SQL {
  const isHeld = sql`kept.lease IS NOT NULL AND kept.due_at > now()`;
  return sql`
    ON CONFLICT (link_key) DO UPDATE SET
      link_id = excluded.link_id, version = excluded.version, record = excluded.record, created_at = now(),
      attempts = 0, published_at = NULL,
      lease = CASE WHEN ${isHeld} THEN kept.lease ELSE excluded.lease END,
      due_at = CASE WHEN ${isHeld} THEN kept.due_at ELSE excluded.due_at END
    WHERE kept.version <= excluded.version
    RETURNING link_key, link_id, version, record, lease = ${lease.id}::uuid AS is_leased`;
}

function inSeconds(seconds: number): SQL {
  return sql`now() + ${seconds}::float8 * interval '1 second'`;
}

/** One parameter per array: drizzle would spread it into a list, and the statement's text would vary. */
function array(values: readonly unknown[], type: "uuid" | "text" | "bigint" | "boolean"): SQL {
  return sql`${sql.param([...values])}::${sql.raw(type)}[]`;
}
