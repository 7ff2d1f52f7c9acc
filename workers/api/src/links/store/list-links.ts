/**
 * Pages of links in any order under any filter, and how many there are. Two ways to a page, because the planner's statistics are
 * of all workspaces together and cannot choose between them:
 *
 * 1. Walks the index of the order from where the page begins, and keeps what the filter lets through. Gives up early where too
 *    little is let through.
 * 2. Collects all that the filter lets through from the filter's own indexes, and sorts it.
 */
import type { LinkSort } from "@hopline/core/link/link-sorts";
import { domains, links, linkTotals } from "@hopline/db/schema";
import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database.ts";
import { BY_BITMAP } from "./by-bitmap.ts";
import { LINK_COLUMNS, type StoredLink } from "./link-columns.ts";
import { isLookUp, type LinkFilter, toConditions, toCreation } from "./link-filter.ts";
import { orderOf, type Place } from "./link-order.ts";

export type LinkScope = { readonly workspaceId: string; readonly filter: LinkFilter };

export type LinkPage = {
  readonly sort: LinkSort;
  /** `sortValue` and id of the last row before it. */
  readonly after: Place | null;
  readonly limit: number;
};

/** A row, and where a page after it would start. */
export type ListedLink = StoredLink & { readonly sortValue: string };

/**
 * Steps of a walk for each row of the page. After the first ones it is seen whether the whole way fills the page: it does where
 * the filter lets one link in 100 through, or one in 40 by clicks, where a step costs more because it looks its link up. With a
 * search one in 200: what a word is in takes longest to collect.
 */
const STEPS = {
  byLink: { first: 10, atMost: 100 },
  bySearchedLink: { first: 10, atMost: 200 },
  byClicks: { first: 2, atMost: 40 },
};

/** Beyond this a count takes longer than it is worth. */
export const MAX_COUNT = 100_000;

export async function listLinks(
  database: Database,
  scope: LinkScope,
  page: LinkPage,
): Promise<readonly ListedLink[]> {
  const walked = isLookUp(scope.filter) ? null : await walk(database, scope, page);
  return walked ?? collect(database, scope, page);
}

/** Up to `MAX_COUNT`. */
export async function countLinks(database: Database, { workspaceId, filter }: LinkScope): Promise<number> {
  const { rows } = await database.execute(sql`
    SELECT count(*)::int AS links FROM (
      SELECT FROM links WHERE ${and(isListed(workspaceId), ...toConditions(workspaceId, filter))} LIMIT ${MAX_COUNT}
    ) AS counted`);
  return Number(rows[0]?.["links"]);
}

/** `null` if the page is not complete where the walk has ended. */
async function walk(
  database: Database,
  { workspaceId, filter }: LinkScope,
  page: LinkPage,
): Promise<readonly ListedLink[] | null> {
  const { table, column, id, direction, isAfter } = orderOf(page.sort);
  const isAhead = and(
    table === links ? isListed(workspaceId) : eq(linkTotals.workspaceId, workspaceId),
    page.sort.endsWith("createdAt") ? and(...toCreation(filter)) : undefined,
    page.after === null ? undefined : isAfter(page.after, column, id),
  );
  const isLetThrough = and(ne(links.state, "deleted"), ...toConditions(workspaceId, filter));
  const isWanted =
    table === links
      ? isLetThrough
      : sql`(SELECT ${isLetThrough} FROM links WHERE ${links.id} = ${linkTotals.linkId})`;
  const inOrder = sql`ORDER BY ${column} ${direction}, ${id} ${direction}`;
  // The filter is a value of each step and no condition: a condition would make the planner leave the order's index. If the page is
  // not full by then, the row after the last step says that the way was cut short.
  const walked = (steps: number, isOn: SQL) => sql`
    SELECT id, sort_value, is_cut FROM (
      SELECT ${id} AS id, ${column} AS sort_value, ${isWanted} AS is_wanted, row_number() OVER (${inOrder}) > ${steps} AS is_cut
      FROM ${table} WHERE ${isAhead} AND ${isOn} ${inOrder} LIMIT ${steps + 1}
    ) AS steps
    WHERE is_wanted OR is_cut ORDER BY sort_value ${direction}, id ${direction} LIMIT ${page.limit}`;
  const ofLinks = filter.words.length > 0 ? STEPS.bySearchedLink : STEPS.byLink;
  const { first, atMost } = table === links ? ofLinks : STEPS.byClicks;
  const found = sql`
    WITH first AS MATERIALIZED (${walked(first * page.limit, sql`true`)}),
    -- A page that this part of the way has not filled, and that the whole of it may fill.
    verdict AS MATERIALIZED (
      SELECT bool_or(is_cut) IS TRUE AND (count(*) - 1) * ${atMost / first} >= ${page.limit} AS walks_on FROM first
    )
    SELECT * FROM first WHERE NOT (SELECT walks_on FROM verdict)
    UNION ALL (${walked(atMost * page.limit, sql`(SELECT walks_on FROM verdict)`)})`;
  const rows = await readPage(database, found, page);
  return rows.some(({ isCut }) => isCut) ? null : rows;
}

async function collect(
  database: Database,
  { workspaceId, filter }: LinkScope,
  page: LinkPage,
): Promise<readonly ListedLink[]> {
  const { table, column, id, direction, isAfter } = orderOf(page.sort);
  const matching = and(isListed(workspaceId), ...toConditions(workspaceId, filter));
  const rows =
    table === links
      ? // OFFSET: the planner would rather read the order's index from one end to the other.
        sql`(SELECT ${id}, ${column} AS sort_value FROM links WHERE ${matching} OFFSET 0) AS matching`
      : sql`(
          SELECT ${id} AS id, ${column} AS sort_value FROM ${table}
          WHERE ${id} = ANY(ARRAY(SELECT ${links.id} FROM links WHERE ${matching}))
        ) AS matching`;
  const found = sql`
    SELECT id, sort_value, false AS is_cut FROM ${rows}
    WHERE ${page.after === null ? sql`true` : isAfter(page.after, sql`sort_value`, sql`id`)}
    ORDER BY sort_value ${direction}, id ${direction} LIMIT ${page.limit}`;
  const [, listed] = await database.batch([database.execute(BY_BITMAP), readPage(database, found, page)]);
  return listed;
}

function isListed(workspaceId: string): SQL | undefined {
  return and(eq(links.workspaceId, workspaceId), ne(links.state, "deleted"));
}

/** The links that `found` names (id, sort_value, is_cut), in their order. */
function readPage(database: Database, found: SQL, { sort }: LinkPage) {
  const { direction, toText } = orderOf(sort);
  return database
    .select({
      ...LINK_COLUMNS,
      sortValue: toText(sql`page.sort_value`),
      isCut: sql<boolean>`page.is_cut`,
    })
    .from(links)
    .innerJoin(sql`(${found}) AS page`, sql`page.id = ${links.id}`)
    .innerJoin(domains, eq(domains.id, links.domainId))
    .orderBy(sql`page.sort_value ${direction}, page.id ${direction}`);
}
