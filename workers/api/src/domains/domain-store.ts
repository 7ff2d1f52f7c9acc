/** Short domains in Postgres. Every statement is scoped by workspace. */
import { domains } from "@hopline/db/schema";
import { and, desc, eq, isNull, lt, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import type { IdPage } from "../http/page.ts";
import { epochMs } from "../instant.ts";
import { type EnqueuedChange, enqueueWritten, type Lease, toEnqueued } from "../publishing/outbox.ts";

export type StoredDomain = {
  readonly id: string;
  readonly host: string;
  /** See domain-shape.ts. */
  readonly settings: unknown;
  readonly version: number;
  readonly createdAtMs: number;
};

const columns = {
  id: domains.id,
  host: domains.host,
  settings: domains.settings,
  version: domains.version,
  createdAtMs: epochMs(domains.createdAt),
};

export type InsertedDomain = { readonly stored: StoredDomain; readonly changes: readonly EnqueuedChange[] };

/** `null` when the host is in use, by this or another workspace. */
export async function insertDomain(
  database: Database,
  domain: { readonly id: string; readonly workspaceId: string; readonly host: string },
  lease: Lease,
): Promise<InsertedDomain | null> {
  const [[stored], enqueued] = await database.batch([
    database.insert(domains).values(domain).onConflictDoNothing().returning(columns),
    enqueueWritten(database, [domain.id], lease),
  ]);
  return stored === undefined ? null : { stored, changes: toEnqueued(enqueued) };
}

/** Newest first. */
export async function listDomains(
  database: Database,
  workspaceId: string,
  page: IdPage,
): Promise<readonly StoredDomain[]> {
  return database
    .select(columns)
    .from(domains)
    .where(
      and(
        eq(domains.workspaceId, workspaceId),
        isNull(domains.deletedAt),
        page.afterId === null ? undefined : lt(domains.id, page.afterId),
      ),
    )
    .orderBy(desc(domains.id))
    .limit(page.limit);
}

export async function findDomainById(
  database: Database,
  workspaceId: string,
  domainId: string,
): Promise<StoredDomain | null> {
  const rows = await database
    .select(columns)
    .from(domains)
    .where(and(eq(domains.workspaceId, workspaceId), eq(domains.id, domainId), isNull(domains.deletedAt)));
  return rows[0] ?? null;
}

/** Whether a link of the domain has capitals in its slug, or in an alias. */
export async function hasMixedCase(database: Database, domainId: string): Promise<boolean> {
  const { rows } = await database.execute(sql`
    SELECT FROM addresses JOIN domains USING (host)
    WHERE domains.id = ${domainId}::uuid AND ended_at IS NULL AND slug <> lower(slug) LIMIT 1`);
  return rows.length > 0;
}

export type DomainUpdate = {
  readonly id: string;
  readonly workspaceId: string;
  /** The update applies to this version only. */
  readonly fromVersion: number;
  readonly settings: Readonly<Record<string, unknown>>;
  /** As published, in the version after that. */
  readonly record: string;
};

/** Changes the settings and enqueues the new record, in one transaction. `null` when the domain is gone or has changed since. */
export async function updateDomain(
  database: Database,
  update: DomainUpdate,
  lease: Lease,
): Promise<readonly EnqueuedChange[] | null> {
  const { id, workspaceId, fromVersion, settings, record } = update;
  const isThatVersion = eq(domains.version, fromVersion);
  const [written, enqueued] = await database.batch([
    database
      .update(domains)
      .set({
        settings,
        version: fromVersion + 1,
        record,
      })
      .where(
        and(
          eq(domains.workspaceId, workspaceId),
          eq(domains.id, id),
          isThatVersion,
          isNull(domains.deletedAt),
        ),
      )
      .returning({ id: domains.id }),
    enqueueWritten(database, [id], lease),
  ]);
  return written.length === 1 ? toEnqueued(enqueued) : null;
}
