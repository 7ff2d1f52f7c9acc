/** Where clicks are counted, and the days that are moved when that changes. */
import type { CountingMode } from "@hopline/db/ingest/count-clicks";
import { startOf } from "@hopline/db/ledger/utc-day";
import type { RunSql } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import type { ClickHouse } from "../clickhouse-client.ts";

export type MoveDeps = {
  /** As the tables' owner. */
  readonly runSql: RunSql;
  readonly clickHouse: ClickHouse;
  /** Of one statement. */
  readonly timeoutMs: number;
  readonly onProgress: (line: string) => void;
};

export async function readMode(runSql: RunSql, timeoutMs: number): Promise<CountingMode> {
  const [row] = await runSql(sql`SELECT mode FROM counting_mode`, timeoutMs);
  return row?.["mode"] === "clickhouse" ? "clickhouse" : "postgres";
}

const SWITCH = {
  clickhouse: sql`
    DO $$ BEGIN LOCK TABLE counting_mode IN EXCLUSIVE MODE; UPDATE counting_mode SET mode = 'clickhouse'; END $$`,
  postgres: sql`
    DO $$ BEGIN LOCK TABLE counting_mode IN EXCLUSIVE MODE; UPDATE counting_mode SET mode = 'postgres'; END $$`,
} as const;

/** Waits for the statements that count now. Those that begin later count in the other mode, in transactions with higher numbers. */
export async function setMode({ runSql, timeoutMs }: MoveDeps, mode: CountingMode): Promise<void> {
  await runSql(SWITCH[mode], timeoutMs);
}

/** Of `click_events`: from before the mode changed. The others are in ClickHouse, and here as well for a webhook or a stream. */
export const IS_FROM_BEFORE = sql`inserted_xid < (
  SELECT next - ((next - counting_mode.xmin::text::bigint) & 4294967295)
  FROM counting_mode, (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next) AS transaction)`;

/** Days whose single clicks are kept and that have some, as `2026-11-22`; the newest first. */
export async function findDays({ runSql, timeoutMs }: MoveDeps): Promise<readonly string[]> {
  const rows = await runSql(
    sql`SELECT DISTINCT (bucket_start AT TIME ZONE 'UTC')::date::text AS day FROM workspace_rollups
      WHERE clicks > 0 AND bucket_start >= COALESCE((SELECT kept_from FROM event_retention), '-infinity') ORDER BY 1 DESC`,
    timeoutMs,
  );
  return rows.map(({ day }) => String(day));
}

export const inDay = (day: string) =>
  sql`clicked_at >= ${startOf(day)} AND clicked_at < ${startOf(day)} + interval '24 hours'`;
