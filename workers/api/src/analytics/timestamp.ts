import { type SQL, sql } from "drizzle-orm";

/** An instant as a parameter. Milliseconds are kept. */
export function toTimestamp(atMs: number): SQL {
  return sql`${new Date(atMs).toISOString()}::timestamptz`;
}
