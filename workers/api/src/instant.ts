/**
 * Instants on their way out of the database and out of the API. Statements select them as numbers, because the driver's
 * text form depends on the session's time zone.
 */
import { type Column, type SQL, sql } from "drizzle-orm";

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
