/**
 * A page of a table's rows: in the order of their creation or by name, among those that a search leaves, and how many those are.
 * Ids grow with time, so their order is that of creation.
 */
import { z } from "@hono/zod-openapi";
import { and, type Column, eq, inArray, type SQL, sql, type SQLWrapper } from "drizzle-orm";
import type { Database } from "../database.ts";
import { cutPage, decodeCursor, type Page, pageOf, PageQuery } from "./page.ts";
import { flagParam } from "./query-parameters.ts";
import { plainText } from "./text-shape.ts";

/** A leading `-` is descending. */
export const SORTS = ["-createdAt", "createdAt", "name", "-name"] as const;

const MAX_SEARCH_LENGTH = 200;

/** @param searched the fields that a search looks into, in words. @param sorts the first one is the default. */
export function listQuery<const Sorts extends readonly [string, ...string[]]>(
  searched: string,
  sorts: Sorts,
) {
  return PageQuery.extend({
    search: plainText(MAX_SEARCH_LENGTH)
      .optional()
      .openapi({ description: `Every word must be part of ${searched}, in any case.` }),
    sort: z
      .enum(sorts)
      .default(sorts[0] as never)
      .openapi({ description: "A leading `-` is descending." }),
    count: flagParam("Whether to say in `count` how many there are on all pages."),
  });
}

/** `{data, nextCursor, count}`. */
export function listOf<Item extends z.ZodType>(item: Item) {
  const description = "On all pages, if `count=true` asks.";
  return pageOf(item).extend({ count: z.number().int().optional().openapi({ description }) });
}

export type ListQuery = z.infer<typeof PageQuery> & {
  readonly search?: string | undefined;
  readonly sort: (typeof SORTS)[number];
  readonly count: boolean;
};

/** A query of drizzle's builder that has its columns, its joins and its condition. */
type Selection<Row> = SQLWrapper &
  PromiseLike<readonly Row[]> & {
    orderBy(...order: SQL[]): { limit(limit: number): PromiseLike<readonly Row[]> };
  };

/** What a store says of its table: which rows are a workspace's, and how they are read. */
export type Rows<Row> = {
  readonly where: SQL | undefined;
  readonly id: Column;
  readonly name: Column;
  readonly nameOf: (row: Row) => string;
  readonly searched: readonly (Column | SQL)[];
  readonly select: (where: SQL | undefined) => Selection<Row>;
};

export type Listed<Row> = Page<Row> & { readonly count?: number };

export async function listRows<Row extends { readonly id: string }>(
  database: Database,
  list: string,
  { rows, query }: { readonly rows: Rows<Row>; readonly query: ListQuery },
): Promise<Listed<Row>> {
  const { id, name, nameOf, select } = rows;
  const { sort, limit, cursor, count, search = "" } = query;
  const order = `${list} ${sort}`;
  const after = decodeCursor(cursor, order);
  const isByName = sort.endsWith("name");
  const isDescending = sort.startsWith("-");
  const direction = isDescending ? sql`DESC` : sql`ASC`;
  const byName = sql`${name} COLLATE "C"`;
  const isFound = and(rows.where, ...containsWords(rows.searched, search));
  const comparison = isDescending ? sql`<` : sql`>`;
  const isAfter =
    after === null
      ? undefined
      : isByName
        ? sql`(${byName}, ${id}) ${comparison} (${after.value}, ${after.id}::uuid)`
        : sql`${id} ${comparison} ${after.id}::uuid`;
  const orders = [...(isByName ? [sql`${byName} ${direction}`] : []), sql`${id} ${direction}`];
  const found = await select(and(isFound, isAfter))
    .orderBy(...orders)
    .limit(limit + 1);
  const page = cutPage(found, limit, (row) => ({ order, value: isByName ? nameOf(row) : "", id: row.id }));
  if (!count) {
    return page;
  }
  const counted = await database.execute(sql`SELECT count(*)::int AS count FROM ${select(isFound)} AS found`);
  return { ...page, count: Number(counted.rows[0]?.["count"]) };
}

/** `null`: the workspace has none with this id. */
export async function findRow<Row>({ select, where, id }: Rows<Row>, wanted: string): Promise<Row | null> {
  const [row] = await select(and(where, eq(id, wanted)));
  return row ?? null;
}

/** A condition for each word of a search. */
export function containsWords(columns: readonly (Column | SQL)[], search: string): readonly SQL[] {
  const text = sql`concat_ws(' ', ${sql.join([...columns], sql`, `)})`;
  const words = search.split(/\s+/).filter((word) => word !== "");
  return words.map((word) => sql`strpos(lower(${text}), lower(${word})) > 0`);
}

/** The row that a request changes. */
export type RowTarget = {
  readonly workspaceId: string;
  readonly id: string;
  /** The versions in which it may be; `null`: any. */
  readonly ifMatch: readonly number[] | null;
};

/** On a row that a request changes: it is in one of the versions that If-Match allows. */
export function isExpected(version: Column, ifMatch: readonly number[] | null): SQL | undefined {
  if (ifMatch === null) {
    return undefined;
  }
  const [only, ...others] = ifMatch;
  return only === undefined || others.length > 0 ? inArray(version, [...ifMatch]) : eq(version, only);
}

/** For the column of a row that is changed. */
export function nextVersion(version: Column): SQL {
  return sql`${version} + 1`;
}
