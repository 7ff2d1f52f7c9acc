/** What retention has to leave in Postgres, because ClickHouse does not have it for certain. */
import type { RunSql } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import { EVERY_DAY } from "./copy-work.ts";

/**
 * A day that retention has begun to remove is not held: Postgres could not fill it again. Until all days have been compared, every day
 * is held.
 */
const HELD = sql`
  SELECT extract(epoch FROM CASE
      WHEN EXISTS (SELECT FROM work WHERE kind = ${EVERY_DAY.kind} AND key = ${EVERY_DAY.key} AND wanted_at > now())
      THEN min(day) ELSE '1970-01-01' END)::float8 * 1000 AS held
  FROM clickhouse_days WHERE sealed_clicks IS NULL
    AND day >= COALESCE((SELECT (kept_from AT TIME ZONE 'UTC')::date FROM event_retention), '-infinity')`;

/** Epoch milliseconds of the first such day; `null`: none. Rejects as `RunSql` does. */
export async function findHeldFrom(runSql: RunSql, timeoutMs: number): Promise<number | null> {
  const [row] = await runSql(HELD, timeoutMs);
  const held = row?.["held"];
  return typeof held === "number" ? held : null;
}
