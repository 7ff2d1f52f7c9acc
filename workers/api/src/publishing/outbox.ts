/**
 * The outbox: changes that are committed and not yet published, as work in `packages/db/src/work`. Publishes nothing itself.
 *
 * There are two priorities. Edits (`publish`) are announced and written to KV. What comes in masses (`publish-import`: imported
 * links, links of a deleted domain, addresses of `pnpm publish-again`) is written to KV behind them, and not announced one by
 * one: the arrivals on a host are one change, and so is the end of a domain.
 *
 * A lease keeps two publishers from working on the same address. A request that enqueues a change gets the lease if it is free,
 * and publishes; otherwise the holder finds the newer version when it settles, and publishes that too.
 */
import { ANY_SLUG, isArrivalsKey } from "@hopline/core/feed/arrivals";
import { type LinkKey, linkKeyOf } from "@hopline/core/link/link-address";
import { claimWork } from "@hopline/db/work/claim-work";
import { ON_NEWER_WORK } from "@hopline/db/work/enqueue-work";
import { settleWork } from "@hopline/db/work/settle-work";
import { type Lease, toWorkItem } from "@hopline/db/work/work-item";
import { runWorkTransaction } from "@hopline/db/work/work-transaction";
import { addresses, links, work } from "@hopline/db/schema";
import { and, count, eq, exists, inArray, lte, type SQL, sql } from "drizzle-orm";
import { type Database, toRunTransaction } from "../database.ts";
import { isOneOf, toSql } from "../to-sql.ts";

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
  readonly kind: OutboxKind;
  /** Grows when the address is enqueued again. */
  readonly revision: number;
  readonly attempts: number;
  /** KV and the feed have it; it waits for its confirming write. */
  readonly isPublished: boolean;
  /** Where it is written. Arrivals are not in KV; nothing is written of a mass change whose address has changed since. */
  readonly isForKv: boolean;
  /** No confirming write comes after it. */
  readonly isFinal: boolean;
};

/** `isLeased` is false if another publisher holds the address: that one will publish this version. */
export type EnqueuedChange = WaitingChange & { readonly isLeased: boolean };

/** In the order of their priority. */
export const OUTBOX_KINDS = ["publish", "publish-import"] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];
const [PUBLISH, PUBLISH_IMPORT] = OUTBOX_KINDS;

type OutboxRow = Record<string, unknown>;
/** For `database.batch([...])`, after the write. Read its result with `toEnqueued`. */
export type OutboxStatement = ReturnType<Database["execute"]>;

/**
 * An edit is written to KV a second time this long after the first; see `settle`. Seconds. Longer than any invocation lives: a
 * scheduled one or one of a queue ends after 15 minutes (https://developers.cloudflare.com/workers/platform/limits).
 */
const CONFIRM_AFTER_SECONDS = 960;

/** After an outage, the longest that a change waits for its next try. */
export const MAX_DELAY_SECONDS = 60;

/** Which of the addresses that were written go into the outbox one by one. */
export type EnqueuedAddresses =
  | "all"
  /** Those where something was published before: KV may hold it. */
  | "used-before";

/**
 * Enqueues the addresses of links and domains as the same transaction has just written them: goes into the
 * `database.batch([...])` of the write, after it. What the write skipped (a slug was taken, another editor was faster) is
 * not enqueued. Aliases are among them, and tombstones of what was deleted.
 *
 * @param lease `null`: the caller only announces them, and a publisher that is woken up writes them to KV.
 */
export function enqueueWritten(
  database: Database,
  ids: readonly string[],
  lease: Lease | null,
  addresses: EnqueuedAddresses = "all",
): OutboxStatement {
  const isWanted = addresses === "all" ? sql`true` : sql`version > 1`;
  // A domain's record lists its links that forward: it may have been written with them.
  const owners = sql`ARRAY(SELECT unnest(${sql.param([...ids])}::uuid[])
    UNION SELECT domain_id FROM links WHERE ${isOneOf(links.id, ids)})`;
  const areTheirs = sql`link_id = ANY(${owners}) AND slug <> ${ANY_SLUG} AND ${ARE_WRITTEN_HERE}`;
  return database.execute(insertAddresses(sql`${areTheirs} AND ${isWanted}`, lease));
}

/** The same for a domain and all of its links that were written. */
export function enqueueWrittenOn(database: Database, domainId: string, lease: Lease | null): OutboxStatement {
  const written = sql`SELECT id FROM links WHERE domain_id = ${domainId}::uuid AND ${IS_WRITTEN_HERE}`;
  const isOfThese = sql`(link_id = ${domainId}::uuid OR link_id IN (${written}))`;
  return database.execute(insertAddresses(sql`${isOfThese} AND ${ARE_WRITTEN_HERE}`, lease));
}

/** The same for all domains of a workspace. */
export function enqueueWrittenDomains(
  database: Database,
  workspaceId: string,
  lease: Lease | null,
): OutboxStatement {
  const domains = sql`SELECT id FROM domains WHERE workspace_id = ${workspaceId}::uuid`;
  return database.execute(insertAddresses(sql`link_id IN (${domains}) AND ${ARE_WRITTEN_HERE}`, lease));
}

/** Ends the addresses that `found` selects (host, slug), and enqueues their tombstones. */
export function enqueueEnded(database: Database, found: SQL, lease: Lease | null): OutboxStatement {
  return database.execute(sql`
    WITH ended AS (
      UPDATE addresses SET version = version + 1, ended_at = now(), record = in_version(tombstone_of(link_id), version + 1)
      FROM ${found} AS found WHERE addresses.host = found.host AND addresses.slug = found.slug
      RETURNING addresses.host || '/' || addresses.slug AS link_key, link_id, version, record
    )
    ${insertChanges(sql`SELECT link_key, link_id, version, record FROM ended ORDER BY 1`, lease)}`);
}

/** Enqueues the addresses of links and domains as they are stored, to be published again. */
export function enqueueAgain(
  database: Database,
  ids: readonly string[],
  lease: Lease | null,
): OutboxStatement {
  return database.execute(
    insertAddresses(sql`${isOneOf(addresses.linkId, ids)} AND ended_at IS NULL`, lease),
  );
}

/** Has links that the same transaction has just made written to KV behind edits; not at addresses where something was before. */
export function enqueueImported(database: Database, linkIds: readonly string[]): OutboxStatement {
  return database.execute(insertMass(sql`${areWrittenHere(linkIds)} AND version = 1`));
}

/**
 * Has the tombstones of a deleted domain's links that the same transaction has just written, written to KV behind edits. What waits
 * there as an edit stays one: two priorities have no order of versions between them.
 */
export function enqueueEndedLinks(database: Database, domainId: string): readonly OutboxStatement[] {
  const areEnded = sql`link_id IN (SELECT id FROM links WHERE domain_id = ${domainId}::uuid AND ${IS_WRITTEN_HERE})
    AND ${ARE_WRITTEN_HERE}`;
  const isEdit = sql`EXISTS (SELECT FROM work WHERE kind = ${PUBLISH} AND key = host || '/' || slug)`;
  return [
    database.execute(insertAddresses(sql`${areEnded} AND ${isEdit}`, null)),
    database.execute(insertMass(sql`${areEnded} AND NOT ${isEdit}`)),
  ];
}

function insertMass(isWanted: SQL): SQL {
  return sql`
    INSERT INTO work AS kept (kind, key, payload)
    SELECT ${PUBLISH_IMPORT}, host || '/' || slug, jsonb_build_object('host', host, 'slug', slug, 'version', version)
    FROM addresses WHERE ${isWanted} ORDER BY 2
    ${toSql(ON_NEWER_WORK)}
    RETURNING kind, key, payload, revision, attempts, false AS is_leased`;
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
      WHERE ${isOneOf(links.id, linkIds)} AND ${IS_WRITTEN_HERE}
      ORDER BY host
      ON CONFLICT (host, slug) DO UPDATE SET version = kept.version + 1, link_id = excluded.link_id
      RETURNING host || '/' || slug AS link_key, link_id, version, record
    )
    ${insertChanges(sql`SELECT link_key, link_id, version, record FROM counted ORDER BY 1`, lease)}`);
}

/**
 * Claims up to `limit` due changes of a kind that no other publisher is claiming right now. Mass changes are read as their
 * addresses are now: one that was edited since is published as that.
 */
export async function claimDue(
  database: Database,
  { kind, limit }: { readonly kind: OutboxKind; readonly limit: number },
  lease: Lease,
): Promise<readonly WaitingChange[]> {
  const wanted = { kind, limit, leaseSeconds: lease.seconds };
  const [rows = []] = await runWorkTransaction(toRunTransaction(database), [claimWork(lease.id, [wanted])]);
  if (kind === PUBLISH || rows.length === 0) {
    return rows.map(toChange);
  }
  const payloads = JSON.stringify(rows.map(({ payload }) => payload));
  const { rows: current } = await database.execute(sql`
    SELECT host || '/' || slug AS key, link_id, record
    FROM jsonb_to_recordset(${payloads}::jsonb) AS mass (host text, slug text, version bigint)
    JOIN addresses USING (host, slug, version)`);
  const addressOf = new Map(current.map((row) => [String(row["key"]), row]));
  return rows.map((row) => {
    const address = addressOf.get(String(row["key"]));
    const change = toChange(row);
    return address === undefined
      ? { ...change, isFinal: true }
      : {
          ...change,
          linkId: String(address["link_id"]),
          recordText: String(address["record"]),
          isForKv: true,
        };
  });
}

/**
 * Has addresses published again that were edited while a mass change of them was written, now or by a publisher that died: the two
 * priorities have no lease in common, so what was before the edit may have come to KV last.
 */
export async function enqueueOvertaken(database: Database, changes: readonly WaitingChange[]): Promise<void> {
  const written = changes
    .filter(({ kind, isForKv, attempts }) => kind === PUBLISH_IMPORT && (isForKv || attempts > 1))
    .map(({ key, version }) => ({ host: key.split("/")[0], slug: key.slice(key.indexOf("/") + 1), version }));
  if (written.length > 0) {
    const overtaken = sql`
      SELECT host || '/' || slug, link_id, addresses.version, record
      FROM jsonb_to_recordset(${JSON.stringify(written)}::jsonb) AS mass (host text, slug text, version bigint)
      JOIN addresses USING (host, slug) WHERE addresses.version > mass.version ORDER BY 1`;
    await database.execute(insertChanges(overtaken, null));
  }
}

/** Milliseconds until the next unpublished change is due, 0 for now; `null` if there is none. */
export async function findNextDueMs(database: Database): Promise<number | null> {
  const [next] = await database
    .select({ dueInMs: sql<number | null>`(extract(epoch FROM min(${work.dueAt}) - now()) * 1000)::float8` })
    .from(work)
    .where(and(eq(work.kind, PUBLISH), IS_UNPUBLISHED));
  const dueInMs = next?.dueInMs ?? null;
  return dueInMs === null ? null : Math.max(0, dueInMs);
}

/** A data centre keeps what it read from KV for 60 s, and an isolate what it loaded from there for another 60 s. */
const KV_LAGS_FOR_SECONDS = 120;

/**
 * Whether a visitor may still get a former record of the host's addresses, now that each of them is committed: a condition on a row
 * with a `host`. What was published waits for its confirming write, so its due time says how long ago that was: not until all copies
 * of KV have expired is it safe, because an isolate that does not hear from the feed believes them. Edits that are not published have
 * an index of their own (work_unpublished_by_host, migrations/0004).
 */
export const HAS_UNPUBLISHED: SQL = sql`(EXISTS (
  SELECT FROM work WHERE kind = 'publish' AND split_part(key, '/', 1) = host AND payload ->> 'isPublished' IS NULL
) OR EXISTS (
  SELECT FROM work WHERE kind = 'publish-import' AND split_part(key, '/', 1) = host AND payload ->> 'isPublished' IS NULL
) OR EXISTS (
  SELECT FROM work WHERE kind IN ('publish', 'publish-import') AND split_part(key, '/', 1) = host
    AND due_at > now() + ${CONFIRM_AFTER_SECONDS - KV_LAGS_FOR_SECONDS}::float8 * interval '1 second'
))`;

/** How many changes of these kinds are due and held by no publisher, as far as `limit`. */
export async function countDue(
  database: Database,
  limit: number,
  kinds: readonly OutboxKind[] = OUTBOX_KINDS,
): Promise<number> {
  const due = database
    .select({ kind: work.kind })
    .from(work)
    .where(and(inArray(work.kind, kinds), lte(work.dueAt, sql`now()`)))
    .limit(limit)
    .as("due");
  const [found] = await database.select({ due: count() }).from(due);
  return found?.due ?? 0;
}

/** The version that belongs to this address, and whether it has not yet reached KV and the feed. `null`: nothing ever did. */
export async function findAddress(
  database: Database,
  key: LinkKey,
): Promise<{ readonly version: number; readonly isPending: boolean } | null> {
  const slash = key.indexOf("/");
  const [host, slug] = [key.slice(0, slash), key.slice(slash + 1)];
  const pending = database
    .select({ key: work.key })
    .from(work)
    .where(and(eq(work.kind, PUBLISH), eq(work.key, key), IS_UNPUBLISHED));
  const [found] = await database
    .select({ version: addresses.version, isPending: sql<boolean>`${exists(pending)}` })
    .from(addresses)
    .where(and(eq(addresses.host, host), eq(addresses.slug, slug)));
  return found ?? null;
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
 * confirming write after `CONFIRM_AFTER_SECONDS`, because KV has no compare-and-set: a slower publisher, or a
 * write of its that hung, may put an older version after ours, but only while its invocation lives, so the second write is final.
 * Failed changes are left to the scheduled job, with a growing delay.
 */
export async function settle(
  database: Database,
  { done, failed }: Published,
  lease: Lease,
): Promise<readonly WaitingChange[]> {
  const settlements = [
    ...done.map((change) => ({ ...toItem(change, lease), ...(change.isFinal ? DONE : CONFIRM) })),
    ...failed.map(({ change, error }) => ({
      ...toItem(change, lease),
      outcome: "failed" as const,
      error,
      maxDelaySeconds: MAX_DELAY_SECONDS,
    })),
  ];
  const results = await runWorkTransaction(toRunTransaction(database), settleWork(lease.id, settlements));
  // A mass change that was enqueued again is claimed again when the lease ends: its record has to be read.
  return (results.at(-1) ?? []).map(toChange).filter(({ kind }) => kind === PUBLISH);
}

const DONE = { outcome: "done" } as const;
const CONFIRM = {
  outcome: "again",
  inSeconds: CONFIRM_AFTER_SECONDS,
  change: { isPublished: true },
} as const;
const IS_UNPUBLISHED: SQL = sql`payload ->> 'isPublished' IS NULL`;

function toItem({ kind, key, revision }: WaitingChange, { seconds }: Lease) {
  return { kind, key, revision, leaseSeconds: seconds };
}

/** The rows of an `enqueue…` statement, alone or from a batch. */
export function toEnqueued(result: { readonly rows: readonly OutboxRow[] }): readonly EnqueuedChange[] {
  return result.rows.map((row) => ({ ...toChange(row), isLeased: row["is_leased"] === true }));
}

/** This transaction wrote the row version. */
export const IS_WRITTEN_HERE: SQL = sql`links.xmin = pg_current_xact_id()::xid`;

/** This transaction wrote the row version of an address of one of these links or domains. */
export function areWrittenHere(ids: readonly string[]): SQL {
  return sql`${isOneOf(addresses.linkId, ids)} AND ${ARE_WRITTEN_HERE}`;
}

const ARE_WRITTEN_HERE: SQL = sql`addresses.xmin = pg_current_xact_id()::xid`;

function insertAddresses(isWanted: SQL, lease: Lease | null): SQL {
  const changes = sql`
    SELECT host || '/' || slug, link_id, version, record
    FROM addresses WHERE ${isWanted} ORDER BY 1`;
  return insertChanges(changes, lease);
}

/**
 * Enqueues the rows of `changes`: key, link, version, record. They have to be ordered by key, so that two batches
 * never deadlock. A newer version replaces a waiting one; the same version (published again) starts over. A valid lease stays.
 */
function insertChanges(changes: SQL, lease: Lease | null): SQL {
  const id = lease?.id ?? null;
  return sql`
    INSERT INTO work AS kept (kind, key, payload, lease, due_at)
    SELECT ${PUBLISH}, link_key, jsonb_build_object('linkId', link_id, 'version', version, 'record', record),
      ${id}::uuid, now() + ${lease?.seconds ?? 0}::float8 * interval '1 second'
    FROM (${changes}) AS change (link_key, link_id, version, record)
    ${toSql(ON_NEWER_WORK)}
    WHERE (kept.payload ->> 'version')::bigint <= (excluded.payload ->> 'version')::bigint
    RETURNING kind, key, payload, revision, attempts, lease = ${id}::uuid AS is_leased`;
}

function toChange(row: OutboxRow): WaitingChange {
  const { kind, key: text, payload, revision, attempts } = toWorkItem(row);
  const key = toLinkKey(text);
  const version = Number(payload["version"]);
  const isPublished = payload["isPublished"] === true;
  const isEdit = kind === PUBLISH;
  return {
    kind: isEdit ? PUBLISH : PUBLISH_IMPORT,
    key,
    linkId: String(payload["linkId"]),
    version,
    recordText: String(payload["record"]),
    revision,
    attempts,
    isPublished,
    // Of a mass change the record is not known yet; see claimDue.
    isForKv: isEdit && !isArrivalsKey(key),
    // Nothing older than a first version exists; an address that is published again as it stands was confirmed before.
    isFinal: isPublished || version === 1 || isArrivalsKey(key) || payload["again"] === true,
  };
}

export function toLinkKey(text: string): LinkKey {
  const slash = text.indexOf("/");
  return linkKeyOf(text.slice(0, slash), text.slice(slash + 1));
}
