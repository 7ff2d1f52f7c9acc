/**
 * Pages of links in any order under any filter, and how many there are. Reads a bounded number of rows wherever that is
 * possible, whatever the planner believes about the filter:
 *
 * 1. Most pages: walks the order's index from where the page begins, and keeps what the filter lets through. Gives up early where
 *    too little is let through.
 * 2. A filter that lets few through: collects all that it lets through from the filter's own index, and sorts those.
 * 3. A filter that lets many through, though few where the page begins: whatever the planner thinks best.
 */
import { domains, links, linkTotals } from "@hopline/db/schema";
import { and, type Column, eq, ne, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database.ts";
import { BY_BITMAP } from "./by-bitmap.ts";
import { LINK_COLUMNS, type StoredLink } from "./link-columns.ts";
import { isLookUp, type LinkFilter, toConditions } from "./link-filter.ts";
import { type LinkOrder, type LinkSort, orderOf, type Place } from "./link-order.ts";

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
 * the filter lets one link in 100 through, or one in 40. A step by clicks costs five times as much, because it looks its link up.
 */
const STEPS = {
  byLink: { first: 10, atMost: 100 },
  byClicks: { first: 5, atMost: 40 },
};

/** Collected and sorted in some 25 ms. */
const MAX_COLLECTED = 25_000;

/** As many clicks or last clicks are looked up link by link. For more, the index of their order is read as far as it takes. */
const MAX_LOOKED_UP = 4_000;

/** Beyond this a count takes longer than anybody waits for a number. */
export const MAX_COUNT = 100_000;

export async function listLinks(
  database: Database,
  scope: LinkScope,
  page: LinkPage,
): Promise<readonly ListedLink[]> {
  const walked = isLookUp(scope.filter) ? null : await walk(database, scope, page);
  return (
    walked ?? (await collect(database, scope, page)) ?? readPage(database, selectAsPlanned(scope, page), page)
  );
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
    page.after === null ? undefined : isAfter(page.after, column, id),
  );
  const inOrder = sql`ORDER BY ${column} ${direction}, ${id} ${direction}`;
  const walked = (steps: number, isWanted: SQL) => sql`
    SELECT id, sort_value FROM (
      SELECT links.*, ${column} AS sort_value, ${id} AS sort_id FROM ${withLinks(table)}
      WHERE ${isAhead} AND ${isWanted} ${inOrder} LIMIT ${steps}
    ) AS links
    WHERE ${and(ne(links.state, "deleted"), ...toConditions(workspaceId, filter))}
    ORDER BY sort_value ${direction}, sort_id ${direction} LIMIT ${page.limit}`;
  const goesOn = (steps: number) =>
    sql`EXISTS (SELECT FROM ${table} WHERE ${isAhead} ${inOrder} OFFSET ${steps} LIMIT 1)`;
  const steps = table === links ? STEPS.byLink : STEPS.byClicks;
  const first = steps.first * page.limit;
  const atMost = steps.atMost * page.limit;
  const found = sql`
    WITH first AS MATERIALIZED (${walked(first, sql`true`)}),
    -- A page that this part of the way has not filled, and that the whole of it may fill.
    verdict AS MATERIALIZED (
      SELECT count(*) < ${page.limit} AND count(*) * ${atMost / first} >= ${page.limit} AS walks_on FROM first
    ),
    whole AS MATERIALIZED (${walked(atMost, sql`(SELECT walks_on FROM verdict)`)}),
    found AS MATERIALIZED (
      SELECT * FROM first WHERE NOT (SELECT walks_on FROM verdict) UNION ALL SELECT * FROM whole
    )
    SELECT id, sort_value, CASE
      WHEN (SELECT count(*) FROM found) = ${page.limit} THEN false
      WHEN (SELECT walks_on FROM verdict) THEN ${goesOn(atMost)}
      ELSE ${goesOn(first)} END AS is_cut
    FROM found`;
  const rows = await readPage(database, found, page);
  return rows.length === 0 || rows.some(({ isCut }) => isCut) ? null : rows;
}

/** `null` if there are more links than it sorts. */
async function collect(
  database: Database,
  { workspaceId, filter }: LinkScope,
  page: LinkPage,
): Promise<readonly ListedLink[] | null> {
  const { table, column, id, direction, isAfter } = orderOf(page.sort);
  const isAhead = (value: SQL, itsId: SQL | Column) =>
    page.after === null ? sql`true` : isAfter(page.after, value, itsId);
  const orderedByTotals = sql`
    SELECT id, (SELECT ${column} FROM ${table} WHERE ${linkTotals.linkId} = matching.id) AS sort_value
    FROM matching WHERE (SELECT links FROM size) <= ${MAX_LOOKED_UP}
    UNION ALL (
      SELECT ${id}, ${column} FROM ${table}
      -- CASE: the planner would make a join of it, and read the totals of all links.
      WHERE (SELECT links FROM size) > ${MAX_LOOKED_UP} AND ${eq(linkTotals.workspaceId, workspaceId)}
        AND ${isAhead(column, id)} AND CASE WHEN ${id} IN (SELECT id FROM matching) THEN true END
      ORDER BY ${column} ${direction}, ${id} ${direction} LIMIT ${page.limit}
    )`;
  const found = sql`
    WITH matching AS MATERIALIZED (
      SELECT ${links.id}, ${table === links ? column : sql`NULL`} AS sort_value FROM links
      WHERE ${and(isListed(workspaceId), ...toConditions(workspaceId, filter))} LIMIT ${MAX_COLLECTED + 1}
    ),
    size AS MATERIALIZED (SELECT count(*) AS links FROM matching)
    SELECT id, sort_value, (SELECT links FROM size) > ${MAX_COLLECTED} AS is_cut
    FROM (${table === links ? sql`SELECT * FROM matching` : orderedByTotals}) AS ordered
    WHERE ${isAhead(sql`sort_value`, sql`id`)}
    ORDER BY sort_value ${direction}, id ${direction} LIMIT ${page.limit}`;
  const [, rows] = await database.batch([database.execute(BY_BITMAP), readPage(database, found, page)]);
  return rows.some(({ isCut }) => isCut) ? null : rows;
}

function selectAsPlanned({ workspaceId, filter }: LinkScope, { sort, after, limit }: LinkPage): SQL {
  const { table, column, id, direction, isAfter } = orderOf(sort);
  return sql`
    SELECT ${links.id}, ${column} AS sort_value, false AS is_cut FROM ${withLinks(table)}
    WHERE ${and(
      table === links ? undefined : eq(linkTotals.workspaceId, workspaceId),
      isListed(workspaceId),
      ...toConditions(workspaceId, filter),
      after === null ? undefined : isAfter(after, column, id),
    )}
    ORDER BY ${column} ${direction}, ${id} ${direction} LIMIT ${limit}`;
}

function isListed(workspaceId: string): SQL | undefined {
  return and(eq(links.workspaceId, workspaceId), ne(links.state, "deleted"));
}

/** Each link is looked up where the order meets it (OFFSET keeps the planner from reading all of them). */
function withLinks(table: LinkOrder["table"]): SQL {
  return table === links
    ? sql`${links}`
    : sql`${table} CROSS JOIN LATERAL (
        SELECT * FROM links WHERE ${links.id} = ${linkTotals.linkId} OFFSET 0
      ) AS links`;
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
