/** `pnpm reconcile` between the stores: every day of every workspace, by the rollups in Postgres and as ClickHouse has it now. */
import type { RunSql } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import type { ClickHouse } from "./clickhouse-client.ts";
import { DAY_FINGERPRINT } from "./day-fingerprint.ts";

export type StoreComparison = {
  /** Days of workspaces that have ended. */
  readonly days: number;
  /** Of those, the ones that answers may use. */
  readonly sealed: number;
  /** How far ClickHouse's rows and its distinct events are from the rollups, summed over sealed days. Must be 0. */
  readonly sealedDifference: number;
  /** The same over the other days. They are answered from Postgres. */
  readonly unsealedDifference: number;
  /** Sealed days that hold other clicks than when they were sealed. Must be 0. */
  readonly changed: number;
};

const rolledUp = (from: string, to: string) => sql`
  SELECT workspace_id::text AS workspace, day::text AS day, rolled.clicks::float8 AS clicks,
    sealed_clicks::float8 AS sealed, fingerprint::text AS fingerprint
  FROM (
    SELECT workspace_id, (bucket_start AT TIME ZONE 'UTC')::date AS day, sum(clicks) AS clicks
    FROM workspace_rollups WHERE bucket_start >= ${from}::date::timestamp AT TIME ZONE 'UTC'
      AND bucket_start < LEAST(${to}::date::timestamp AT TIME ZONE 'UTC', date_trunc('day', now(), 'UTC'))
    GROUP BY 1, 2
  ) AS rolled LEFT JOIN clickhouse_days USING (workspace_id, day)`;

const FOUND = `
  SELECT toString(workspace_id) AS workspace, toString(toDate(quarter)) AS day,
    count() AS clicks, uniqExact(event_id) AS events, toString(${DAY_FINGERPRINT}) AS fingerprint
  FROM clicks
  WHERE toDate(quarter) >= {from:Date} AND toDate(quarter) < {to:Date}
  GROUP BY workspace_id, toDate(quarter)`;

const DAY_MS = 86_400_000;

/**
 * Over the whole UTC days from the first instant's to before the second's. One day after the other, so that ClickHouse holds the
 * event ids of one. Rejects as `RunSql` and `ClickHouse` do.
 */
export async function compareStores(
  stores: { readonly runSql: RunSql; readonly clickHouse: ClickHouse },
  range: { readonly sinceMs: number; readonly untilMs: number },
  timeoutMs: number,
): Promise<StoreComparison> {
  let [days, sealed, sealedDifference, unsealedDifference, changed] = [0, 0, 0, 0, 0];
  for (let dayMs = range.sinceMs - (range.sinceMs % DAY_MS); dayMs < range.untilMs; dayMs += DAY_MS) {
    const [from, to] = [toDay(dayMs), toDay(dayMs + DAY_MS)];
    const rows = await stores.runSql(rolledUp(from, to), timeoutMs);
    const found = await stores.clickHouse.select(FOUND, { from, to }, timeoutMs);
    const byWorkspace = new Map(found.map((row) => [String(row["workspace"]), row]));
    for (const { workspace, clicks, sealed: sealedClicks, fingerprint } of rows) {
      const row = byWorkspace.get(String(workspace));
      byWorkspace.delete(String(workspace));
      const difference =
        Math.abs(Number(row?.["clicks"] ?? 0) - Number(clicks)) +
        Math.abs(Number(row?.["events"] ?? 0) - Number(clicks));
      days += 1;
      if (sealedClicks === null) {
        unsealedDifference += difference;
      } else {
        sealed += 1;
        sealedDifference += difference;
        changed += (row?.["fingerprint"] ?? "0") === fingerprint ? 0 : 1;
      }
    }
    // Of workspaces that Postgres has no click of that day.
    for (const { clicks } of byWorkspace.values()) {
      unsealedDifference += Number(clicks);
    }
  }
  return { days, sealed, sealedDifference, unsealedDifference, changed };
}

function toDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
