/** Short domains in Postgres. Every statement is scoped by workspace. */
import { ANY_SLUG } from "@hopline/core/feed/arrivals";
import { DOMAIN_SLUG } from "@hopline/core/link/domain-record";
import { addresses, domains, links } from "@hopline/db/schema";
import { enqueueMissingWork, enqueueWork, type NewWork } from "@hopline/db/work/enqueue-work";
import { and, eq, isNull, ne, type SQL, sql } from "drizzle-orm";
import { isDomainWithin } from "../http/bounds/within-bounds.ts";
import { type Database, failureOf, type RowOf } from "../database.ts";
import { toSql } from "../to-sql.ts";
import { findRow, type Rows } from "../http/list-rows.ts";
import { epochMs, epochMsOrNull } from "../instant.ts";
import {
  type EnqueuedChange,
  enqueueWritten,
  HAS_UNPUBLISHED,
  type Lease,
  toEnqueued,
} from "../publishing/outbox.ts";
import type { CustomHostname } from "./custom-hostnames.ts";
import type { Proof, ProofState, Seen } from "./proof.ts";

/** The picture itself is in its own table (qr/logo-store.ts). */
export type StoredLogo = { readonly width: number; readonly height: number; readonly updatedAtMs: number };

const columns = {
  id: domains.id,
  host: domains.host,
  /** See domain-shape.ts. */
  settings: domains.settings,
  version: domains.version,
  proof: domains.proof,
  proofToken: domains.proofToken,
  provedAtMs: epochMsOrNull(domains.provedAt),
  /** The last look-up of the TXT record, and what it saw. */
  checkedAtMs: epochMsOrNull(domains.checkedAt),
  seen: domains.seen,
  missingSinceMs: epochMsOrNull(domains.missingSince),
  // Another workspace has proved this host. The columns are spelled out, because drizzle omits the table's name in a statement without joins.
  isTaken: sql<boolean>`EXISTS (SELECT FROM domains AS proved
    WHERE proved.host = domains.host AND leads_visitors(proved) AND proved.id <> domains.id)`,
  logo: sql<StoredLogo | null>`(SELECT jsonb_build_object('width', width, 'height', height,
    'updatedAtMs', extract(epoch FROM updated_at) * 1000) FROM domain_logos WHERE domain_id = domains.id)`,
  /** What Cloudflare said last (custom-hostnames.ts); `null` where it was not asked. */
  customHostname: domains.customHostname,
  suspendedAtMs: epochMsOrNull(domains.suspendedAt),
  suspendedFor: domains.suspendedFor,
  createdAtMs: epochMs(domains.createdAt),
};
export type StoredDomain = RowOf<typeof columns>;

export type NewDomain = {
  readonly id: string;
  readonly workspaceId: string;
  readonly host: string;
  readonly isVouched: boolean;
};

export type WrittenDomain = { readonly stored: StoredDomain; readonly changes: readonly EnqueuedChange[] };

/**
 * `null` when this workspace has the host already, under another id, or another one has proved it; `deleted` when it had a domain
 * with this id, and has deleted it since.
 */
export async function insertDomain(
  database: Database,
  { id, workspaceId, host, isVouched }: NewDomain,
  lease: Lease,
): Promise<WrittenDomain | "deleted" | null> {
  const [, [found], enqueued] = await database.batch([
    database.execute(sql`
      INSERT INTO domains (id, workspace_id, host, proof, proved_at)
      SELECT ${id}::uuid, ${workspaceId}::uuid, ${host}, ${isVouched ? "vouched" : "pending"},
        CASE WHEN ${isVouched}::boolean THEN now() END
      WHERE NOT EXISTS (SELECT FROM domains WHERE host = ${host} AND proof <> 'pending' AND released_at IS NULL)
      ON CONFLICT DO NOTHING`),
    database
      .select({ ...columns, deletedAtMs: epochMsOrNull(domains.deletedAt) })
      .from(domains)
      .where(eq(domains.id, id)),
    enqueueWritten(database, [id], lease),
  ]);
  if (found === undefined) {
    return null;
  }
  const { deletedAtMs, ...stored } = found;
  return deletedAtMs === null ? { stored, changes: toEnqueued(enqueued) } : "deleted";
}

export type CheckedProof = {
  readonly domainId: string;
  /** The check applies only while this is the domain's state. */
  readonly from: Proof;
  readonly to: ProofState;
  readonly seen: Seen;
  /** Enqueued in the same transaction. */
  readonly work: readonly NewWork[];
  /** Of the domain's own record, which is published or ended with its proof. */
  readonly lease: Lease;
};

/** The domain after the check; `taken` if another workspace has proved the host, `null` if the domain has changed since. */
export async function recordCheck(
  database: Database,
  { domainId, from, to, seen, work, lease }: CheckedProof,
): Promise<WrittenDomain | "taken" | null> {
  const provedAt = sql`CASE WHEN ${to.proof} = 'pending' THEN NULL
    WHEN ${seen} = 'found' THEN coalesce(proved_at, now()) ELSE proved_at END`;
  const missingSince = sql`to_timestamp(${to.missingSinceMs}::float8 / 1000)`;
  try {
    const [[stored], , enqueued] = await database.batch([
      database
        .update(domains)
        .set({ proof: to.proof, provedAt, missingSince, checkedAt: sql`now()`, seen })
        .where(and(eq(domains.id, domainId), eq(domains.proof, from), isNull(domains.deletedAt)))
        .returning(columns),
      database.execute(toSql(enqueueWork(work))),
      enqueueWritten(database, [domainId], lease),
    ]);
    return stored === undefined ? null : { stored, changes: toEnqueued(enqueued) };
  } catch (error) {
    if (failureOf(error).constraint === "domains_by_host") {
      return "taken";
    }
    throw error;
  }
}

/**
 * Whether the host still leads to links of another domain, which has lost its proof, or KV to their records. Asks for what is
 * left of them to be ended.
 */
export async function isHeldByFormer(
  database: Database,
  { id, host }: Pick<StoredDomain, "id" | "host">,
): Promise<boolean> {
  const [former, held] = await database.batch([
    database
      .selectDistinct({ key: links.domainId })
      .from(addresses)
      .innerJoin(links, eq(links.id, addresses.linkId))
      .where(
        and(
          eq(addresses.host, host),
          isNull(addresses.endedAt),
          ne(addresses.slug, ANY_SLUG),
          ne(links.domainId, id),
        ),
      ),
    database
      .select({ key: addresses.linkId })
      .from(addresses)
      .where(
        and(
          eq(addresses.host, host),
          eq(addresses.slug, DOMAIN_SLUG),
          ne(addresses.linkId, id),
          HAS_UNPUBLISHED,
        ),
      ),
  ]);
  const unfinished = former.map(({ key }) => ({ kind: "domain-addresses", key }));
  await database.execute(toSql(enqueueMissingWork(unfinished)));
  return former.length + held.length > 0;
}

export function domainsOf(database: Database, workspaceId: string): Rows<StoredDomain> {
  return {
    where: and(
      eq(domains.workspaceId, workspaceId),
      isNull(domains.deletedAt),
      isDomainWithin(sql`${domains.id}`),
    ),
    id: domains.id,
    name: domains.host,
    nameOf: ({ host }) => host,
    searched: [sql`${domains.host}`, sql`${domains.settings} ->> 'title'`],
    select: (where) => database.select(columns).from(domains).where(where),
  };
}

export function findDomainById(
  database: Database,
  workspaceId: string,
  id: string,
): Promise<StoredDomain | null> {
  return findRow(domainsOf(database, workspaceId), id);
}

/** For the job, which works for all workspaces. `null`: it was deleted. */
export async function findDomainToCheck(database: Database, domainId: string): Promise<StoredDomain | null> {
  const rows = await database
    .select(columns)
    .from(domains)
    .where(and(eq(domains.id, domainId), isNull(domains.deletedAt)));
  return rows[0] ?? null;
}

/** The domain that has proved the host by DNS. */
export async function findProvedDomain(database: Database, host: string): Promise<string | null> {
  const rows = await database
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.host, host), eq(domains.proof, "dns"), isNull(domains.deletedAt)));
  return rows[0]?.id ?? null;
}

export async function storeCustomHostname(
  database: Database,
  domainId: string,
  customHostname: CustomHostname,
): Promise<void> {
  await database.update(domains).set({ customHostname }).where(eq(domains.id, domainId));
}

/** Whether a link of the domain has capitals in its slug, or in an alias. */
export async function hasMixedCase(database: Database, domainId: string): Promise<boolean> {
  return (await database.execute(selectMixedCase(domainId))).rows.length > 0;
}

function selectMixedCase(domainId: string): SQL {
  return sql`
    SELECT FROM addresses JOIN domains AS its ON its.host = addresses.host
    WHERE its.id = ${domainId}::uuid AND ended_at IS NULL AND slug <> lower(slug) LIMIT 1`;
}

export type DomainUpdate = {
  readonly id: string;
  readonly workspaceId: string;
  /** The update applies to this version only. */
  readonly fromVersion: number;
  readonly settings: Readonly<Record<string, unknown>>;
  /** As published, but for its version. */
  readonly record: string;
  /** The domain is to ignore case from now on: the update applies only while no slug has capitals. */
  readonly isFolding: boolean;
};

/**
 * Changes the settings and enqueues the new record, in one transaction. `null` when the domain is gone or has changed since, or
 * has a slug that it may not have.
 */
export async function updateDomain(
  database: Database,
  update: DomainUpdate,
  lease: Lease,
): Promise<readonly EnqueuedChange[] | null> {
  const { id, workspaceId, fromVersion, settings, record, isFolding } = update;
  const isThatVersion = eq(domains.version, fromVersion);
  const [, written, enqueued] = await database.batch([
    // Waits for links that are being written: the next statement sees them.
    database.select({ id: domains.id }).from(domains).where(eq(domains.id, id)).for("no key update"),
    database
      .update(domains)
      .set({ settings, version: fromVersion + 1, record })
      .where(
        and(
          eq(domains.workspaceId, workspaceId),
          eq(domains.id, id),
          isThatVersion,
          isNull(domains.deletedAt),
          isFolding ? sql`NOT EXISTS (${selectMixedCase(id)})` : undefined,
        ),
      )
      .returning({ id: domains.id }),
    enqueueWritten(database, [id], lease),
  ]);
  return written.length === 1 ? toEnqueued(enqueued) : null;
}
