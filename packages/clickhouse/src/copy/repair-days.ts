/** What a person can ask the copier for: days to be copied again, and a new start after the database was restored from a dump. */
import type { RunSql, RunTransaction } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";

export type WantedDays = {
  /** `2026-11-22`; without it, every day that was compared and is not alike in both stores. */
  readonly day: string | null;
  readonly workspaceId: string | null;
};

const repair = ({ day, workspaceId }: WantedDays) => sql`
  WITH wanted AS (
    UPDATE clickhouse_days SET sealed_clicks = NULL, fingerprint = NULL, copies = copies + 1, due_at = now()
    WHERE day < (now() AT TIME ZONE 'UTC')::date AND (${workspaceId}::uuid IS NULL OR workspace_id = ${workspaceId}::uuid)
      AND CASE WHEN ${day}::date IS NULL THEN sealed_clicks IS NULL AND attempts > 0 ELSE day = ${day}::date END
    RETURNING day, workspace_id
  ), asked AS (
    INSERT INTO clickhouse_day_copies (day, workspace_id, before_xid)
    SELECT day, workspace_id, next_xid FROM wanted, clickhouse_copy
    ON CONFLICT DO NOTHING
  )
  SELECT count(*)::int AS days FROM wanted`;

/** The copier's next run does it. Resolves to how many days of workspaces. Rejects as `RunSql` does. */
export async function repairDays(runSql: RunSql, wanted: WantedDays, timeoutMs: number): Promise<number> {
  const [row] = await runSql(repair(wanted), timeoutMs);
  return Number(row?.["days"] ?? 0);
}

const HORIZON = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;

/** Clicks of a dump carry the numbers of transactions that this database has yet to reach. */
const FORGET_XIDS = sql`UPDATE click_events SET inserted_xid = NULL WHERE inserted_xid >= ${HORIZON}`;
const START_HERE = sql`
  UPDATE clickhouse_copy SET started_xid = ${HORIZON}, next_xid = ${HORIZON}, planned_xid = NULL, planned_since = NULL`;
/** Every day is compared again; those that are not alike are copied again. */
const COMPARE_ALL = sql`
  UPDATE clickhouse_days SET sealed_clicks = NULL, fingerprint = NULL, copies = copies + 1, due_at = now()`;

/** As the tables' owner, while no click is written. Rejects as `RunTransaction` does, with nothing changed. */
export async function restartCopy(runTransaction: RunTransaction, timeoutMs: number): Promise<void> {
  await runTransaction([FORGET_XIDS, START_HERE, COMPARE_ALL], timeoutMs);
}
