/**
 * Finds days whose rollups count something else than what is sealed: clicks that came too late for the copy by transaction, and
 * deleted ones. Some workspaces at a time, in turn; answers do not depend on it, because they compare the two themselves.
 *
 * Of the time before copying began, only days that came to ClickHouse all the same are looked at: Postgres may not have the clicks of
 * the others any more.
 */
import { sql } from "@hopline/db/sql";
import type { CopyDeps } from "./copy-new-clicks.ts";

const WORKSPACES_AT_ONCE = 20;

const COMPARE = sql`
  WITH RECURSIVE step (id, number) AS (
    SELECT compared_workspace, 0 FROM clickhouse_copy
    UNION ALL
    SELECT LEAST(
      (SELECT workspace_id FROM workspace_rollups WHERE workspace_id > step.id ORDER BY 1 LIMIT 1),
      (SELECT workspace_id FROM clickhouse_days WHERE workspace_id > step.id ORDER BY 1 LIMIT 1)
    ), number + 1
    FROM step WHERE id IS NOT NULL AND number < ${WORKSPACES_AT_ONCE}
  ), chosen AS (
    SELECT id FROM step WHERE id IS NOT NULL AND number > 0
  ), moved AS (
    UPDATE clickhouse_copy SET compared_workspace = COALESCE(
      (SELECT id FROM step WHERE number = ${WORKSPACES_AT_ONCE}), '00000000-0000-0000-0000-000000000000')
  ), rolled AS (
    SELECT workspace_id, (bucket_start AT TIME ZONE 'UTC')::date AS day, sum(clicks) AS clicks
    FROM workspace_rollups, clickhouse_copy
    WHERE workspace_id IN (SELECT id FROM chosen)
      AND bucket_start >= LEAST(
        since_day, (SELECT min(day) FROM clickhouse_days WHERE workspace_id IN (SELECT id FROM chosen))
      )::timestamp AT TIME ZONE 'UTC'
      AND bucket_start < date_trunc('day', now(), 'UTC')
    GROUP BY 1, 2
  )
  INSERT INTO clickhouse_days AS kept (workspace_id, day)
  SELECT COALESCE(rolled.workspace_id, sealed.workspace_id), COALESCE(rolled.day, sealed.day)
  FROM rolled FULL JOIN (
    SELECT * FROM clickhouse_days WHERE workspace_id IN (SELECT id FROM chosen) AND sealed_clicks IS NOT NULL
  ) AS sealed ON sealed.workspace_id = rolled.workspace_id AND sealed.day = rolled.day
  WHERE COALESCE(rolled.clicks, 0) IS DISTINCT FROM COALESCE(sealed.sealed_clicks, -1)
    AND (sealed.day IS NOT NULL OR rolled.day >= (SELECT since_day FROM clickhouse_copy))
  ORDER BY 1, 2
  ON CONFLICT (workspace_id, day) DO UPDATE SET
    sealed_clicks = NULL, fingerprint = NULL, attempts = 0, due_at = now(), copies = kept.copies + 1
    WHERE kept.sealed_clicks IS NOT NULL`;

/** Rejects as `RunSql` does. */
export async function compareDays({ runSql, timeoutMs }: CopyDeps): Promise<void> {
  await runSql(COMPARE, timeoutMs);
}
