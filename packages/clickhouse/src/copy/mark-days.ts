/** Has days of workspaces compared with ClickHouse, and copied where they are not alike: takes their seal off, and enqueues the work. */
import { isInDay } from "@hopline/db/ledger/utc-day";
import { type Sql, sql } from "@hopline/db/sql";
import { ON_NEWER_WORK } from "@hopline/db/work/enqueue-work";

/** @param days SELECT of (workspace_id, day), each once; `day` is a date. */
export function markDays(days: Sql): Sql {
  return sql`
  WITH marked AS (
    INSERT INTO clickhouse_days AS kept (workspace_id, day)
    SELECT workspace_id, day FROM (${days}) AS wanted ORDER BY 1, 2
    ON CONFLICT (workspace_id, day) DO UPDATE SET sealed_clicks = NULL, fingerprint = NULL, copies = kept.copies + 1
    RETURNING day
  )
  -- The newest first.
  INSERT INTO work AS kept (kind, key, due_at)
  SELECT DISTINCT 'clickhouse', day::text, now() - (day - date '2000-01-01') * interval '1 millisecond' FROM marked ORDER BY 2
  ${ON_NEWER_WORK}`;
}

/** A day that analytics have pre-aggregated. Its seal stays if it is of as many clicks as the rollups have. */
export function markMadeDay({
  workspaceId,
  dayMs,
}: {
  readonly workspaceId: string;
  readonly dayMs: number;
}): Sql {
  const day = new Date(dayMs).toISOString().slice(0, 10);
  return markDays(sql`
    SELECT ${workspaceId}::uuid AS workspace_id, ${day}::date AS day
    WHERE (
      SELECT COALESCE(sum(clicks), 0) FROM workspace_rollups WHERE workspace_id = ${workspaceId}::uuid
        AND ${isInDay(sql`bucket_start`, day)}
    ) <> COALESCE((SELECT sealed_clicks FROM clickhouse_days WHERE workspace_id = ${workspaceId}::uuid AND day = ${day}::date), 0)`);
}
