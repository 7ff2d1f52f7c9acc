import { type Sql, sql } from "@hopline/db/sql";
import type { InstantRange } from "./range.ts";

/** An instant as a parameter, with milliseconds. */
export function toTimestamp(atMs: number): Sql {
  return sql`${new Date(atMs).toISOString()}::timestamptz`;
}

/** Spans of time as one parameter. */
export function toMultirange(spans: readonly InstantRange[]): Sql {
  const text = spans.map(
    ({ fromMs, toMs }) => `[${new Date(fromMs).toISOString()},${new Date(toMs).toISOString()})`,
  );
  return sql`${`{${text.join(",")}}`}::tstzmultirange`;
}
