/** Instants leave the database as numbers: the driver's text form depends on the session's time zone. */
import { type Column, type SQL, sql } from "drizzle-orm";

export function epochMs(column: Column): SQL<number> {
  return sql<number>`extract(epoch FROM ${column}) * 1000`.mapWith((text) => Math.round(Number(text)));
}

/** drizzle hands NULL through without asking the mapper. */
export function epochMsOrNull(column: Column): SQL<number | null> {
  return epochMs(column);
}
