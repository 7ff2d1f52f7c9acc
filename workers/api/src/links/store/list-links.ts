/** Pages of links: filtered, searched, sorted, by keyset. Counts are read only for the rows of the page. */
import { domains, links } from "@hopline/db/schema";
import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database.ts";
import { LINK_COLUMNS, type StoredLink } from "./link-columns.ts";
import { hasStatus, type LinkStatus } from "./link-status.ts";

export const LINK_SORTS = ["-createdAt", "createdAt", "-updatedAt", "updatedAt", "slug", "-slug"] as const;
/** A leading `-` is descending. */
export type LinkSort = (typeof LINK_SORTS)[number];

export type LinkFilter = {
  /** Any of them; all but archived ones for none. */
  readonly statuses: readonly LinkStatus[];
  /** Any of them. */
  readonly tags: readonly string[];
  readonly allTags: readonly string[];
  readonly host: string | null;
  readonly externalId: string | null;
  /** RFC 3339; from inclusive, before exclusive. */
  readonly createdFrom: string | null;
  readonly createdBefore: string | null;
  /** Beginnings of words in slug, URL, title or tags. */
  readonly search: string | null;
};

export type LinkPage = {
  readonly sort: LinkSort;
  /** `sortValue` and id of the last row before it. */
  readonly after: { readonly value: string; readonly id: string } | null;
  readonly limit: number;
};

/** A row, and where a page after it would start. */
export type ListedLink = StoredLink & { readonly sortValue: string };

export async function listLinks(
  database: Database,
  { workspaceId, filter }: { readonly workspaceId: string; readonly filter: LinkFilter },
  page: LinkPage,
): Promise<readonly ListedLink[]> {
  const { column, toText, fromText } = SORT_COLUMNS[page.sort.replace("-", "") as keyof typeof SORT_COLUMNS];
  const direction = page.sort.startsWith("-") ? sql`DESC` : sql`ASC`;
  const isAfter = page.sort.startsWith("-") ? sql`<` : sql`>`;
  return database
    .select({ ...LINK_COLUMNS, sortValue: toText })
    .from(links)
    .innerJoin(domains, eq(domains.id, links.domainId))
    .where(
      and(
        eq(links.workspaceId, workspaceId),
        ...toConditions(workspaceId, filter),
        page.after === null
          ? undefined
          : sql`(${column}, ${links.id}) ${isAfter} (${fromText(page.after.value)}, ${page.after.id}::uuid)`,
      ),
    )
    .orderBy(sql`${column} ${direction}, ${links.id} ${direction}`)
    .limit(page.limit);
}

function toConditions(workspaceId: string, filter: LinkFilter): readonly (SQL | undefined)[] {
  const { host, externalId, createdFrom, createdBefore, search } = filter;
  return [
    hasStatus(filter.statuses),
    filter.tags.length === 0 ? undefined : sql`${links.tags} && ${sql.param([...filter.tags])}::text[]`,
    filter.allTags.length === 0 ? undefined : sql`${links.tags} @> ${sql.param([...filter.allTags])}::text[]`,
    host === null ? undefined : eq(domains.host, host),
    externalId === null ? undefined : eq(links.externalId, externalId),
    createdFrom === null ? undefined : gte(links.createdAt, createdFrom),
    createdBefore === null ? undefined : lt(links.createdAt, createdBefore),
    search === null ? undefined : sql`links.search @@ link_search_query(${workspaceId}::uuid, ${search})`,
  ];
}

/** Microseconds, because a page must start exactly after the previous one. */
const epochUs = (column: SQL): SQL<string> =>
  sql<string>`(extract(epoch FROM ${column}) * 1000000)::bigint::text`;
const fromEpochUs = (value: string): SQL =>
  sql`timestamptz 'epoch' + ${/^\d{1,16}$/.test(value) ? value : "0"}::bigint * interval '1 microsecond'`;

const instantColumn = (column: SQL) => ({ column, toText: epochUs(column), fromText: fromEpochUs });

const SORT_COLUMNS = {
  createdAt: instantColumn(sql`${links.createdAt}`),
  updatedAt: instantColumn(sql`${links.updatedAt}`),
  slug: {
    column: sql`${links.slug} COLLATE "C"`,
    toText: sql<string>`${links.slug}`,
    fromText: (value: string) => sql`${value}::text`,
  },
};
