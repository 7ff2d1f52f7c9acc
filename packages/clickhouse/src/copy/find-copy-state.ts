/** How the copy to ClickHouse stands, for `pnpm doctor`. Read with the privileges of hopline_reader. */
import type { RunSql } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";

export type CopyState = {
  /** The database was restored from a dump: the copier refuses to continue. */
  readonly isLost: boolean;
  /** Since new clicks were last all copied. */
  readonly behindSeconds: number;
  /** Whole days that wait to be copied. */
  readonly daysToCopy: number;
  /** Days of workspaces that were compared and are not alike in both stores, and the first of them. */
  readonly wrongDays: number;
  readonly firstWrongDay: string | null;
  readonly sealedDays: number;
};

const FIND = sql`
  SELECT next_xid > pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS "isLost",
    extract(epoch FROM now() - caught_up_at)::float8 AS "behindSeconds",
    (SELECT count(*) FROM clickhouse_day_copies)::float8 AS "daysToCopy", days.*
  FROM clickhouse_copy, (
    SELECT count(*) FILTER (WHERE sealed_clicks IS NULL AND attempts > 0)::float8 AS "wrongDays",
      (min(day) FILTER (WHERE sealed_clicks IS NULL AND attempts > 0))::text AS "firstWrongDay",
      count(sealed_clicks)::float8 AS "sealedDays"
    FROM clickhouse_days
  ) AS days`;

/** `null`: the copier has not run yet. Rejects as `RunSql` does. */
export async function findCopyState(runSql: RunSql, timeoutMs: number): Promise<CopyState | null> {
  const [row] = await runSql(FIND, timeoutMs);
  if (row === undefined) {
    return null;
  }
  const firstWrongDay = row["firstWrongDay"];
  return {
    isLost: row["isLost"] === true,
    behindSeconds: Number(row["behindSeconds"]),
    daysToCopy: Number(row["daysToCopy"]),
    wrongDays: Number(row["wrongDays"]),
    firstWrongDay: typeof firstWrongDay === "string" ? firstWrongDay : null,
    sealedDays: Number(row["sealedDays"]),
  };
}
