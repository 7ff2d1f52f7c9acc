/** Short domains in Postgres, each statement scoped by workspace. */
import { domains, links } from "@hopline/db/schema";
import { and, desc, eq, inArray, lt, ne, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { epochMs } from "../instant.ts";

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

/** `null` when the host is in use, by whichever workspace. */
export async function insertDomain(
  database: Database,
  domain: { readonly id: string; readonly workspaceId: string; readonly host: string },
): Promise<StoredDomain | null> {
  const rows = await database.insert(domains).values(domain).onConflictDoNothing().returning(columns);
  return rows[0] ?? null;
}

/** Newest first. */
export async function listDomains(
  database: Database,
  workspaceId: string,
  page: { readonly afterId: string | null; readonly limit: number },
): Promise<readonly StoredDomain[]> {
  return database
    .select(columns)
    .from(domains)
    .where(
      and(
        eq(domains.workspaceId, workspaceId),
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
    .where(and(eq(domains.workspaceId, workspaceId), eq(domains.id, domainId)));
  return rows[0] ?? null;
}

/**
 * Removes a domain and the rows of its deleted links; a domain with a link that is not deleted stays, `false`. The
 * statements are one transaction, in which the foreign key refuses what a concurrent request adds in between.
 */
export async function deleteDomain(
  database: Database,
  workspaceId: string,
  domainId: string,
): Promise<boolean> {
  const isOurs = and(eq(domains.workspaceId, workspaceId), eq(domains.id, domainId));
  const hasLinks = sql`EXISTS (SELECT FROM ${links} WHERE ${links.domainId} = ${domainId}::uuid AND ${ne(links.state, "deleted")})`;
  const [, removed] = await database.batch([
    database
      .delete(links)
      .where(
        and(
          eq(links.workspaceId, workspaceId),
          eq(links.domainId, domainId),
          eq(links.state, "deleted"),
          sql`NOT ${hasLinks}`,
        ),
      ),
    database
      .delete(domains)
      .where(and(isOurs, sql`NOT ${hasLinks}`))
      .returning({ id: domains.id }),
  ]);
  return removed.length === 1;
}

/** Those of the hosts that are short domains, of whichever workspace. */
export async function findShortHosts(
  database: Database,
  hosts: readonly string[],
): Promise<ReadonlySet<string>> {
  if (hosts.length === 0) {
    return new Set();
  }
  const rows = await database
    .select({ host: domains.host })
    .from(domains)
    .where(inArray(domains.host, [...hosts]));
  // A destination is compared without its port.
  return new Set(rows.map(({ host }) => host.replace(/:\d+$/, "")));
}
