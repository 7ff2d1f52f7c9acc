import { type SQL, sql } from "drizzle-orm";

/** An instant as a parameter, with milliseconds. */
export function toTimestamp(atMs: number): SQL {
  return sql`${new Date(atMs).toISOString()}::timestamptz`;
}
