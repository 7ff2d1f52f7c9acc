/** What retention has to leave in Postgres, because ClickHouse does not have it for certain. */
import type { RunSql } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";

/**
 * A day that retention has begun to remove is not held: Postgres could not fill it again. Before the first run of the copier, every
 * day is held.
 */
const HELD = sql`
  SELECT extract(epoch FROM held.day::timestamp AT TIME ZONE 'UTC')::float8 * 1000 AS held
  FROM (
    SELECT min(day) AS day FROM (
      SELECT day FROM clickhouse_day_copies
      UNION ALL
      SELECT day FROM clickhouse_days WHERE sealed_clicks IS NULL
      UNION ALL
      SELECT '-infinity'::date WHERE NOT EXISTS (SELECT FROM clickhouse_copy)
    ) AS unsealed
    WHERE day = '-infinity' OR day >= COALESCE((SELECT (kept_from AT TIME ZONE 'UTC')::date FROM event_retention), '-infinity')
  ) AS held
  WHERE held.day IS NOT NULL`;

/** Epoch milliseconds of the first such day; `null`: none. Rejects as `RunSql` does. */
export async function findHeldFrom(runSql: RunSql, timeoutMs: number): Promise<number | null> {
  const [row] = await runSql(HELD, timeoutMs);
  return row === undefined ? null : Math.max(0, Number(row["held"]));
}
