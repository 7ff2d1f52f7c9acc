/** Links in Postgres. Every statement is scoped by workspace: what another one owns does not exist here. */
import type { LinkState, RedirectStatus } from "@hopline/core/link-record";
import { clickEvents, domains, links } from "@hopline/db/schema";
import { and, asc, type Column, eq, ne, sql } from "drizzle-orm";
import { type EnqueuedChange, enqueueWritten, type Lease, toEnqueued } from "../publishing/outbox.ts";
import type { Database } from "./database.ts";

/** A link with its domain's host and its count of clicks. Instants in epoch milliseconds. */
export type StoredLink = {
  readonly id: string;
  readonly host: string;
  readonly slug: string;
  readonly url: string;
  readonly state: LinkState;
  readonly redirectStatus: number;
  readonly title: string | null;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly clickCount: number;
};

export type NewLink = {
  readonly id: string;
  readonly workspaceId: string;
  readonly domainId: string;
  readonly slug: string;
  readonly url: string;
  readonly redirectStatus: RedirectStatus;
  readonly title: string | null;
  /** The domain's `firstVersion`. */
  readonly version: number;
  /** The link as published, in that version. */
  readonly record: string;
};

export type Domain = {
  readonly id: string;
  readonly host: string;
  /**
   * The version a new link starts with at the wanted address: 1, or one more than the tombstone of a link that has
   * left it, because the edge compares versions by address.
   */
  readonly firstVersion: number;
};

/**
 * A domain of the workspace: the named one, or its oldest when none is named. `null` when there is none. Without a
 * slug, `firstVersion` is 1: a generated one has not been in use.
 */
export async function findDomain(
  database: Database,
  { workspaceId, host, slug }: DomainQuery,
): Promise<Domain | null> {
  const rows = await database
    .select({ id: domains.id, host: domains.host, firstVersion: firstVersionAt(slug) })
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
};

/** Adds a link and its change to the outbox, together or not at all; `null` when its slug is taken on this domain. */
export async function insertLink(
  database: Database,
  link: NewLink,
  lease: Lease,
): Promise<readonly EnqueuedChange[] | null> {
  const [inserted, enqueued] = await database.batch([
    database
      .insert(links)
      .values({ ...link, state: "live" })
      .onConflictDoNothing()
      .returning({ id: links.id }),
    enqueueWritten(database, [link.id], lease),
  ]);
  return inserted.length === 1 ? toEnqueued(enqueued) : null;
}

/** A link by id, deleted ones excepted. */
export async function findLink(
  database: Database,
  workspaceId: string,
  linkId: string,
): Promise<StoredLink | null> {
  const rows = await database
    .select({
      id: links.id,
      host: domains.host,
      slug: links.slug,
      url: links.url,
      state: links.state,
      redirectStatus: links.redirectStatus,
      title: links.title,
      version: links.version,
      createdAtMs: epochMs(links.createdAt),
      updatedAtMs: epochMs(links.updatedAt),
      clickCount:
        sql<number>`(SELECT count(*) FROM ${clickEvents} WHERE ${clickEvents.linkId} = ${links.id})`.mapWith(
          Number,
        ),
    })
    .from(links)
    .innerJoin(domains, eq(domains.id, links.domainId))
    .where(and(eq(links.workspaceId, workspaceId), eq(links.id, linkId), ne(links.state, "deleted")));
  return rows[0] ?? null;
}

function firstVersionAt(slug: string | undefined) {
  return sql<number>`1 + coalesce((
    SELECT version FROM retired_addresses WHERE link_key = ${domains.host} || '/' || ${slug ?? null}
  ), 0)`.mapWith(Number);
}

/** Instants leave the database as numbers: the driver's text form depends on the session's time zone. */
function epochMs(column: Column) {
  return sql<number>`extract(epoch FROM ${column}) * 1000`.mapWith((text) => Math.round(Number(text)));
}
