/** Links in Postgres. Every statement is scoped by workspace: what another one owns does not exist here. */
import type { LinkState, RedirectStatus } from "@hopline/core/link-record";
import { clickEvents, domains, links } from "@hopline/db/schema";
import { and, asc, type Column, eq, ne, sql } from "drizzle-orm";
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
  /** The link as published, version 1. */
  readonly record: string;
};

export type Domain = { readonly id: string; readonly host: string };

/** A domain of the workspace: the named one, or its oldest when none is named. `null` when there is none. */
export async function findDomain(
  database: Database,
  workspaceId: string,
  host: string | undefined,
): Promise<Domain | null> {
  const rows = await database
    .select({ id: domains.id, host: domains.host })
    .from(domains)
    .where(and(eq(domains.workspaceId, workspaceId), host === undefined ? undefined : eq(domains.host, host)))
    .orderBy(asc(domains.createdAt), asc(domains.id))
    .limit(1);
  return rows[0] ?? null;
}

/** Adds a link; `false` when its slug is taken on this domain. */
export async function insertLink(database: Database, link: NewLink): Promise<boolean> {
  const rows = await database
    .insert(links)
    .values({ ...link, state: "live", version: 1 })
    .onConflictDoNothing()
    .returning({ id: links.id });
  return rows.length === 1;
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

/** Instants leave the database as numbers: the driver's text form depends on the session's time zone. */
function epochMs(column: Column) {
  return sql<number>`extract(epoch FROM ${column}) * 1000`.mapWith((text) => Math.round(Number(text)));
}
