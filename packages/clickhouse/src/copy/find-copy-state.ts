/** How the copy to ClickHouse stands, for `pnpm doctor`. Read with the privileges of hopline_reader. */
import type { RunSql } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import { EVERY_DAY } from "./copy-work.ts";

/** Days of workspaces. */
export type CopyState = {
  readonly sealed: number;
  /** Those that are over and not alike in both stores, or not yet known to be; and the first of them. */
  readonly unsealed: number;
  readonly firstUnsealed: string | null;
};

const FIND = sql`
  SELECT count(sealed_clicks)::float8 AS sealed, (count(*) - count(sealed_clicks))::float8 AS unsealed,
    (min(day) FILTER (WHERE sealed_clicks IS NULL))::text AS "firstUnsealed"
  FROM clickhouse_days HAVING EXISTS (SELECT FROM work WHERE kind = ${EVERY_DAY.kind})`;

/** `null`: the copier has not run yet. Rejects as `RunSql` does. */
export async function findCopyState(runSql: RunSql, timeoutMs: number): Promise<CopyState | null> {
  const [row] = await runSql(FIND, timeoutMs);
  if (row === undefined) {
    return null;
  }
  const { sealed, unsealed, firstUnsealed } = row;
  return {
    sealed: Number(sealed),
    unsealed: Number(unsealed),
    firstUnsealed: typeof firstUnsealed === "string" ? firstUnsealed : null,
  };
}
