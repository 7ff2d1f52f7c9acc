/** What a QR code shows: a short URL, and the logo of its domain. */
import { foldSlug } from "@hopline/core/link/link-address";
import { addresses, domainLogos, domains, links } from "@hopline/db/schema";
import { and, eq, inArray, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { isWithinBounds } from "../http/bounds/within-bounds.ts";
import type { Database } from "../database.ts";
import { fromColumns, LOGO_COLUMNS, type StoredLogo } from "./logo-store.ts";

export type Code = { readonly host: string; readonly slug: string; readonly logo: StoredLogo | null };

/** `null` for a link that is deleted or another workspace's. */
export async function findCodeOfLink(
  database: Database,
  { workspaceId, linkId }: { readonly workspaceId: string; readonly linkId: string },
  withLogo: boolean,
): Promise<Code | null> {
  const rows = await database
    .select({ host: domains.host, slug: links.slug, ...LOGO_COLUMNS })
    .from(links)
    .innerJoin(domains, eq(domains.id, links.domainId))
    .leftJoin(domainLogos, isLogo(withLogo))
    .where(
      and(
        eq(links.workspaceId, workspaceId),
        eq(links.id, linkId),
        ne(links.state, "deleted"),
        isNull(domains.deletedAt),
        isWithinBounds(),
      ),
    );
  return toCode(rows[0]);
}

/**
 * Of any workspace, for everybody: `null` unless a link or an alias of one is at the address, and its domain lets everybody have
 * its codes. With the slug as it is stored.
 */
export async function findPublicCode(
  database: Database,
  { host, slug }: { readonly host: string; readonly slug: string },
  withLogo: boolean,
): Promise<Code | null> {
  const rows = await database
    .select({ host: addresses.host, slug: addresses.slug, ...LOGO_COLUMNS })
    .from(addresses)
    .innerJoin(links, eq(links.id, addresses.linkId))
    .innerJoin(domains, eq(domains.id, links.domainId))
    .leftJoin(domainLogos, isLogo(withLogo))
    .where(
      and(
        eq(addresses.host, host),
        inArray(addresses.slug, [slug, foldSlug(slug)]),
        isNull(addresses.endedAt),
        sql`leads_visitors(${domains})`,
        sql`coalesce((${domains.settings} ->> 'hasPublicQr')::boolean, true)`,
        or(eq(addresses.slug, slug), sql`(${domains.settings} ->> 'ignoresCase')::boolean`),
      ),
    );
  return toCode(rows[0]);
}

/** None is joined where none is wanted: it is the larger part of the answer. */
function isLogo(isWanted: boolean): SQL | undefined {
  return and(eq(domainLogos.domainId, domains.id), isWanted ? undefined : sql`false`);
}

type Row = { readonly host: string; readonly slug: string } & Parameters<typeof fromColumns>[0];

function toCode(row: Row | undefined): Code | null {
  return row === undefined ? null : { host: row.host, slug: row.slug, logo: fromColumns(row) };
}
