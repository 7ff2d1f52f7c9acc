/**
 * Pages of a list. A cursor says where the next page starts: the sort value and id of the last row, so that a page
 * costs the same wherever it lies and rows that come and go move nothing.
 */
import { z } from "@hono/zod-openapi";
import { ProblemError } from "./problem.ts";

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
    .openapi({ type: "integer", description: "Rows in a page.", example: DEFAULT_PAGE_SIZE }),
  cursor: z
    .string()
    .max(MAX_CURSOR_LENGTH)
    .optional()
    .openapi({ description: "`nextCursor` of the page before; leave out for the first page." }),
});

/** `{data, nextCursor}`; `nextCursor` is null on the last page. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), nextCursor: z.string().nullable() });
}

/** Where a page ends. `order` names the list and its order: a cursor of another one is refused. */
export type Position = { readonly order: string; readonly value: string; readonly id: string };

export function encodeCursor(position: Position): string {
  const text = JSON.stringify([position.order, position.value, position.id]);
  const binary = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The position in a cursor, `null` without one. Throws `ProblemError` for one that is not of this list and order. */
export function decodeCursor(cursor: string | undefined, order: string): Position | null {
  if (cursor === undefined) {
    return null;
  }
  const parts = parseParts(cursor);
  const [itsOrder, value, id] = parts ?? [];
  if (itsOrder !== order || typeof value !== "string" || typeof id !== "string" || !UUID.test(id)) {
    throw new ProblemError("cursor_invalid");
  }
  return { order, value, id };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function parseParts(cursor: string): readonly unknown[] | null {
  try {
    const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const parts: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(parts) ? parts : null;
  } catch {
    return null;
  }
}

/** Cuts one row too many off a result: it was asked for to know whether there is a next page. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): { readonly rows: readonly Row[]; readonly nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page,
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor(positionOf(last)) : null,
  };
}
