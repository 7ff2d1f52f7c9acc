/**
 * Pages of links in any order under any filter, and how many there are. Reads a bounded number of rows wherever that is
 * possible, whatever the planner believes about the filter:
 *
 * 1. Most pages: walks the order's index from where the page begins, and keeps what the filter lets through.
 * 2. A filter that lets few through: collects all that it lets through from the filter's own index, and sorts those.
 * 3. A filter that lets many through, though few where the page begins: whatever the planner thinks best.
 */
import { domains, links, linkTotals } from "@hopline/db/schema";
import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database.ts";
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

/** A filter that lets one link in 40 through fills a page by walking. */
const WALKED_FOR_EACH_ROW = 40;

/** Collected and sorted in some 25 ms. */
const MAX_COLLECTED = 25_000;

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
  const steps = WALKED_FOR_EACH_ROW * page.limit;
  const isAhead = and(
    table === links ? isListed(workspaceId) : eq(linkTotals.workspaceId, workspaceId),
    page.after === null ? undefined : isAfter(page.after, column, id),
  );
  const way = sql`WHERE ${isAhead} ORDER BY ${column} ${direction}, ${id} ${direction}`;
  const found = sql`
    WITH found AS MATERIALIZED (
      SELECT id, sort_value FROM (
        SELECT links.*, ${column} AS sort_value, ${id} AS sort_id FROM ${withLinks(table)} ${way} LIMIT ${steps}
      ) AS links
      WHERE ${and(ne(links.state, "deleted"), ...toConditions(workspaceId, filter))}
      ORDER BY sort_value ${direction}, sort_id ${direction} LIMIT ${page.limit}
    )
    SELECT id, sort_value, CASE WHEN (SELECT count(*) FROM found) < ${page.limit}
      THEN EXISTS (SELECT FROM ${table} ${way} OFFSET ${steps} LIMIT 1) ELSE false END AS is_cut
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
  const { table, column, direction, isAfter } = orderOf(page.sort);
  // One by one: the planner would rather read the totals of all links.
  const value =
    table === links ? column : sql`(SELECT ${column} FROM ${table} WHERE ${linkTotals.linkId} = ${links.id})`;
  const found = sql`
    WITH matching AS MATERIALIZED (
      SELECT ${links.id}, ${value} AS sort_value FROM links
      WHERE ${and(isListed(workspaceId), ...toConditions(workspaceId, filter))} LIMIT ${MAX_COLLECTED + 1}
    )
    SELECT id, sort_value, (SELECT count(*) FROM matching) > ${MAX_COLLECTED} AS is_cut
    FROM matching WHERE ${page.after === null ? sql`true` : isAfter(page.after, sql`sort_value`, sql`id`)}
    ORDER BY sort_value ${direction}, id ${direction} LIMIT ${page.limit}`;
  const [, rows] = await database.batch([database.execute(BY_BITMAP), readPage(database, found, page)]);
  return rows.some(({ isCut }) => isCut) ? null : rows;
}

/**
 * For one transaction: no plan but that by the filter's own index. Statistics are of all workspaces together, and a tag that
 * is frequent elsewhere would make the planner read every link of this one.
 */
const BY_BITMAP = sql`SELECT set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`;

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
