/**
 * Pages of a list. A cursor holds the sort value and id of the last row (keyset pagination): every page costs the same, and
 * rows that are added or removed shift nothing.
 */
import { fromBase64Url, toBase64Url } from "@hopline/sealing/base64";
import { z } from "@hono/zod-openapi";
import { ProblemError } from "./problem.ts";
import { isPlainText } from "./text-shape.ts";

export const MAX_PAGE_SIZE = 100;
const DEFAULT_PAGE_SIZE = 50;
const MAX_CURSOR_LENGTH = 2_000;

export const PageQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_PAGE_SIZE)
    .default(DEFAULT_PAGE_SIZE)
    .openapi({ type: "integer", description: "Rows per page.", example: DEFAULT_PAGE_SIZE }),
  cursor: z
    .string()
    .max(MAX_CURSOR_LENGTH)
    .optional()
    .openapi({ description: "`nextCursor` of the previous page; leave it out for the first page." }),
});

/** `{data, nextCursor}`; `nextCursor` is null on the last page. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), nextCursor: z.string().nullable() });
}

/** Where a page ends. `order` names the list and its order; a cursor for another one is refused. */
export type Position = { readonly order: string; readonly value: string; readonly id: string };

export function encodeCursor(position: Position): string {
  const text = JSON.stringify([position.order, position.value, position.id]);
  return toBase64Url(new TextEncoder().encode(text));
}

/** The position in a cursor, `null` without one. Throws `ProblemError` for a cursor of another list or order. */
export function decodeCursor(cursor: string | undefined, order: string): Position | null {
  if (cursor === undefined) {
    return null;
  }
  const parts = parseParts(cursor);
  const [itsOrder, value, id] = parts ?? [];
  const isWhole = typeof value === "string" && isPlainText(value) && typeof id === "string" && UUID.test(id);
  if (itsOrder !== order || !isWhole) {
    throw new ProblemError("cursor_invalid");
  }
  return { order, value, id };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function parseParts(cursor: string): readonly unknown[] | null {
  try {
    const parts: unknown = JSON.parse(new TextDecoder().decode(fromBase64Url(cursor) ?? new Uint8Array()));
    return Array.isArray(parts) ? parts : null;
  } catch {
    return null;
  }
}

export type Page<Row> = { readonly rows: readonly Row[]; readonly nextCursor: string | null };

/** Drops the last row of a result that was read with `limit + 1` to find out whether there is a next page. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): Page<Row> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page,
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor(positionOf(last)) : null,
  };
}

/** A page of a list that is ordered by id alone. `order` names the list. */
export async function readPageById<Row extends { readonly id: string }>(
  order: string,
  { limit, cursor }: z.infer<typeof PageQuery>,
  list: (page: IdPage) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const found = await list({ afterId: decodeCursor(cursor, order)?.id ?? null, limit: limit + 1 });
  return cutPage(found, limit, ({ id }) => ({ order, value: "", id }));
}

/** `afterId` is the last id of the previous page. */
export type IdPage = { readonly afterId: string | null; readonly limit: number };
