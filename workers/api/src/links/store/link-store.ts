/** Links in Postgres. Every statement is scoped by workspace: what another one owns does not exist here. */
import { foldSlug } from "@hopline/core/link/link-address";
import type { RedirectStatus } from "@hopline/core/link/link-record";
import { domains, links } from "@hopline/db/schema";
import { and, asc, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import { type EnqueuedChange, enqueueWritten, type Lease, toEnqueued } from "../../publishing/outbox.ts";
import type { CheckedUrl } from "../destination.ts";
import { type Database, isBehindAddress } from "../../database.ts";
import { LINK_COLUMNS, type StoredLink } from "./link-columns.ts";
import { smartColumns, type SmartColumns, writeCap } from "./smart-store.ts";

export type NewLink = {
  readonly id: string;
  readonly workspaceId: string;
  readonly domainId: string;
  readonly slug: string;
  readonly url: CheckedUrl;
  readonly redirectStatus: RedirectStatus;
  /** It named none: `redirectStatus` is the domain's, and changes with it. */
  readonly followsDomainStatus: boolean;
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly externalId: string | null;
  /** The domain's `firstVersion`. */
  readonly version: number;
  /** The link as published, in that version. */
  readonly record: string;
  readonly smart?: SmartColumns | undefined;
};

export type Domain = {
  readonly id: string;
  readonly host: string;
  /**
   * The version a new link starts with at the wanted address: 1, or one more than the tombstone of a link that has
   * left it, because the edge compares versions by address.
   */
  readonly firstVersion: number;
  /** Whether the wanted destination's host is a short domain, of whichever workspace. */
  readonly isLoop: boolean;
  readonly ignoresCase: boolean;
  /** `null`: it has no opinion. */
  readonly redirectStatus: number | null;
};

/**
 * A domain of the workspace: the named one, or its oldest when none is named. `null` when there is none. Without a
 * slug, `firstVersion` is 1: a generated one has not been in use.
 */
export async function findDomain(
  database: Database,
  { workspaceId, host, slug, destinationHost }: DomainQuery,
): Promise<Domain | null> {
  const rows = await database
    .select({
      id: domains.id,
      host: domains.host,
      firstVersion: firstVersionAt(slug),
      isLoop: sql<boolean>`EXISTS (SELECT FROM domains AS short WHERE short.host = ${destinationHost})`,
      ignoresCase: sql<boolean>`coalesce((${domains.settings} ->> 'ignoresCase')::boolean, false)`,
      redirectStatus: sql<number | null>`(${domains.settings} ->> 'redirectStatus')::integer`,
    })
    .from(domains)
    .where(and(eq(domains.workspaceId, workspaceId), host === undefined ? undefined : eq(domains.host, host)))
    .orderBy(asc(domains.createdAt), asc(domains.id))
    .limit(1);
  return rows[0] ?? null;
}

export type DomainQuery = {
  readonly workspaceId: string;
  readonly host: string | undefined;
  readonly slug: string | undefined;
  /** As `URL.host` says it. */
  readonly destinationHost: string;
};

/**
 * One more than the highest version ever published at this slug of the statement's domain. The columns are written out:
 * drizzle leaves the table's name off in a statement without joins, and then they would mean those of `earlier`.
 */
export function firstVersionAt(slug: string | undefined): SQL<number> {
  const kept = sql`CASE WHEN (domains.settings ->> 'ignoresCase')::boolean
    THEN ${slug === undefined ? null : foldSlug(slug)}::text ELSE ${slug ?? null}::text END`;
  return sql<number>`1 + greatest(
    coalesce((SELECT version FROM retired_addresses WHERE link_key = domains.host || '/' || ${kept}), 0),
    coalesce((SELECT max(version) FROM links AS earlier
      WHERE earlier.domain_id = domains.id AND earlier.slug = ${kept}), 0)
  )`.mapWith(Number);
}

/**
 * Adds a link and its change to the outbox, together or not at all. `taken`: its slug on this domain, or its external id in
 * this workspace. `behind`: its version is no longer the first free one at its address.
 */
export async function insertLink(
  database: Database,
  link: NewLink,
  lease: Lease,
): Promise<readonly EnqueuedChange[] | "taken" | "behind"> {
  const { smart, ...columns } = link;
  const insert = database
    .insert(links)
    .values({ ...columns, ...smartColumns(smart), tags: [...link.tags], state: "live" })
    .onConflictDoNothing()
    .returning({ id: links.id });
  const enqueue = enqueueWritten(database, [link.id], lease);
  try {
    const [inserted, enqueued] = await database.batch([
      insert,
      enqueue,
      ...writeCap(database, link.id, smart?.cap),
    ]);
    return inserted.length === 1 ? toEnqueued(enqueued) : "taken";
  } catch (error) {
    if (isBehindAddress(error)) {
      return "behind";
    }
    throw error;
  }
}

/** A link by id, deleted ones excepted. */
export async function findLink(
  database: Database,
  workspaceId: string,
  linkId: string,
): Promise<StoredLink | null> {
  return (await findLinks(database, workspaceId, [linkId]))[0] ?? null;
}

/** Links by id in no order, deleted and foreign ones left out. */
export async function findLinks(
  database: Database,
  workspaceId: string,
  linkIds: readonly string[],
): Promise<readonly StoredLink[]> {
  return database
    .select(LINK_COLUMNS)
    .from(links)
    .innerJoin(domains, eq(domains.id, links.domainId))
    .where(
      and(eq(links.workspaceId, workspaceId), inArray(links.id, [...linkIds]), ne(links.state, "deleted")),
    );
}

/** What it takes to change a link. */
export type LinkToChange = {
  readonly id: string;
  readonly host: string;
  readonly slug: string;
  readonly url: string;
  readonly state: StoredLink["state"];
  readonly redirectStatus: number;
  readonly followsDomainStatus: boolean;
  readonly version: number;
  /** The link as published in that version. */
  readonly record: string;
  readonly cap: StoredLink["cap"];
  readonly ignoresCase: boolean;
  /** The domain's, for a link that names none; `null`: it has no opinion. */
  readonly domainStatus: number | null;
  /** The version with which something new may be published at the wanted slug. */
  readonly firstVersionAtSlug: number;
  readonly isLoop: boolean;
};

export async function findLinkToChange(
  database: Database,
  { workspaceId, linkId, slug, destinationHost }: ChangeQuery,
): Promise<LinkToChange | null> {
  const rows = await database
    .select({
      id: links.id,
      host: domains.host,
      slug: links.slug,
      url: links.url,
      state: links.state,
      redirectStatus: links.redirectStatus,
      followsDomainStatus: links.followsDomainStatus,
      version: links.version,
      record: links.record,
      cap: LINK_COLUMNS.cap,
      ignoresCase: sql<boolean>`coalesce((${domains.settings} ->> 'ignoresCase')::boolean, false)`,
      domainStatus: sql<number | null>`(${domains.settings} ->> 'redirectStatus')::integer`,
      firstVersionAtSlug: firstVersionAt(slug),
      isLoop: sql<boolean>`EXISTS (SELECT FROM domains AS short WHERE short.host = ${destinationHost}::text)`,
    })
    .from(links)
    .innerJoin(domains, eq(domains.id, links.domainId))
    .where(and(eq(links.workspaceId, workspaceId), eq(links.id, linkId), ne(links.state, "deleted")));
  return rows[0] ?? null;
}

export type ChangeQuery = {
  readonly workspaceId: string;
  readonly linkId: string;
  readonly slug: string | undefined;
  readonly destinationHost: string | null;
};

/** The link that a client named so, or `null`. */
export async function findLinkIdByExternalId(
  database: Database,
  workspaceId: string,
  externalId: string,
): Promise<string | null> {
  const rows = await database
    .select({ id: links.id })
    .from(links)
    .where(
      and(eq(links.workspaceId, workspaceId), eq(links.externalId, externalId), ne(links.state, "deleted")),
    );
  return rows[0]?.id ?? null;
}

/** The link as published, by id; `null` for a deleted or foreign one. */
export async function findRecord(
  database: Database,
  workspaceId: string,
  linkId: string,
): Promise<string | null> {
  const rows = await database
    .select({ record: links.record })
    .from(links)
    .where(and(eq(links.workspaceId, workspaceId), eq(links.id, linkId), ne(links.state, "deleted")));
  return rows[0]?.record ?? null;
}
