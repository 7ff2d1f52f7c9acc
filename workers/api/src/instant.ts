/**
 * Instants on their way into the API and out of it. Statements select them as numbers, because the driver's text form
 * depends on the session's time zone.
 */
import { isStorableInstant } from "@hopline/core/rules/compile/instant";
import { z } from "@hono/zod-openapi";
import { type Column, type SQL, sql } from "drizzle-orm";

/** An instant in a request, as text for a statement: RFC 3339 with an offset, and one that Postgres takes. */
export const Instant = z.iso
  .datetime({ offset: true })
  .max(40)
  .refine(isStorableInstant, "is out of range: use the years 1 to 9999 and an offset of at most 15:59");

export function epochMs(column: Column): SQL<number> {
  return sql<number>`extract(epoch FROM ${column}) * 1000`.mapWith((text) => Math.round(Number(text)));
}

/** drizzle passes NULL through without calling the mapper. */
export function epochMsOrNull(column: Column): SQL<number | null> {
  return epochMs(column);
}

/** RFC 3339 in UTC, the form of every instant in an answer. */
export function toInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function toInstantOrNull(atMs: number | null): string | null {
  return atMs === null ? null : toInstant(atMs);
}
