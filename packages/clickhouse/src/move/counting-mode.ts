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

/** Waits for the statements that count now. Those that begin later count in the other mode. */
export async function setMode({ runSql, timeoutMs }: MoveDeps, mode: CountingMode): Promise<void> {
  await runSql(sql`UPDATE counting_mode SET mode = ${mode}`, timeoutMs);
}

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
