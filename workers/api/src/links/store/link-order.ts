/**
 * The orders in which links are listed: each is that of an index, so that a page is read where it begins. Clicks may be a tenth
 * behind in it and the last click a minute (migrations/0003); within a page the exact values decide.
 */
import type { LinkSort } from "@hopline/core/link/link-sorts";
import { links, linkTotals } from "@hopline/db/schema";
import { type Column, type SQL, sql } from "drizzle-orm";
import type { StoredClicks } from "./link-columns.ts";

export type LinkOrder = {
  /** The table that has the index, which starts with the workspace. */
  readonly table: typeof links | typeof linkTotals;
  /** What links are ordered by, and then their id in `table`. */
  readonly column: SQL;
  readonly id: Column;
  readonly direction: SQL;
  /** Whether a row with this sort value and id comes after the place. */
  readonly isAfter: (place: Place, value: SQL, id: SQL | Column) => SQL;
  /** The sort value of a row as text, for a cursor. */
  readonly toText: (value: SQL) => SQL<string>;
};

export type Place = { readonly value: string; readonly id: string };

export function orderOf(sort: LinkSort): LinkOrder {
  const isDescending = sort.startsWith("-");
  const { table, id, column, toText, fromText } = COLUMNS[sort.replace("-", "") as keyof typeof COLUMNS];
  return {
    table,
    id,
    column,
    toText,
    direction: isDescending ? sql`DESC` : sql`ASC`,
    isAfter: (place, value, itsId) =>
      sql`(${value}, ${itsId}) ${isDescending ? sql`<` : sql`>`} (${fromText(place.value)}, ${place.id}::uuid)`,
  };
}

type Counted = { readonly clicks: StoredClicks };

/** The links of one page, exactly in the order. */
export function orderPage<Link extends Counted>(links: readonly Link[], sort: LinkSort): readonly Link[] {
  const valueOf = EXACT[sort.replace("-", "")];
  const sign = sort.startsWith("-") ? -1 : 1;
  return valueOf === undefined
    ? links
    : links.toSorted((one, other) => sign * (valueOf(one) - valueOf(other)));
}

const EXACT: { readonly [column: string]: (link: Counted) => number } = {
  clicks: ({ clicks }) => clicks.human,
  // No link was clicked in 1970.
  lastClickedAt: ({ clicks }) => clicks.lastAtMs ?? 0,
};

/** Microseconds, because a page must start exactly after the previous one. `never`: before all times. */
export const toEpochUs = (value: SQL): SQL<string> =>
  sql<string>`CASE WHEN isfinite(${value}) THEN (extract(epoch FROM ${value}) * 1000000)::bigint::text ELSE 'never' END`;
export const fromEpochUs = (text: string): SQL =>
  text === "never"
    ? sql`timestamptz '-infinity'`
    : sql`timestamptz 'epoch' + ${toDigits(text)}::bigint * interval '1 microsecond'`;

/** Of a cursor, which a caller can make up. */
function toDigits(text: string): string {
  return /^\d{1,16}$/.test(text) ? text : "0";
}

const instant = { toText: toEpochUs, fromText: fromEpochUs };

const COLUMNS = {
  createdAt: { table: links, id: links.id, column: sql`${links.createdAt}`, ...instant },
  updatedAt: { table: links, id: links.id, column: sql`${links.updatedAt}`, ...instant },
  slug: {
    table: links,
    id: links.id,
    column: sql`${links.slug} COLLATE "C"`,
    toText: (value: SQL) => sql<string>`${value}`,
    fromText: (text: string) => sql`${text}::text`,
  },
  clicks: {
    table: linkTotals,
    id: linkTotals.linkId,
    column: sql`${linkTotals.clicksRank}`,
    toText: (value: SQL) => sql<string>`${value}::text`,
    fromText: (text: string) => sql`${toDigits(text)}::bigint`,
  },
  lastClickedAt: {
    table: linkTotals,
    id: linkTotals.linkId,
    column: sql`${linkTotals.lastClickedMinute}`,
    ...instant,
  },
} as const;
