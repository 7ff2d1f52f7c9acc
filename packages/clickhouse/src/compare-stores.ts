/**
 * `pnpm reconcile` between the stores: every quarter of an hour of every workspace, as Postgres counted it and as ClickHouse has it. Takes
 * the events apart, so it finds a duplicate that ClickHouse has not merged yet; answers leave that out.
 */
import type { RunSql } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import type { ClickHouse, ClickHouseRow } from "./clickhouse-client.ts";
import { keptOut, readRemovals } from "./removals.ts";

export type StoreComparison = {
  /** Quarters of an hour of workspaces, in either store. */
  readonly quarters: number;
  /** Those whose events are not the ones that Postgres counted. Must be 0. */
  readonly different: number;
  /** By how many events those differ, as far as their number tells. */
  readonly difference: number;
  /** Rows in ClickHouse, and those of them that repeat another until they are merged. */
  readonly rows: number;
  readonly repeated: number;
  /** That have a quarter which is different. */
  readonly days: readonly string[];
};

const rolledUp = (from: number, to: number) => sql`
  SELECT workspace_id::text || '/' || extract(epoch FROM bucket_start)::bigint AS key, sum(clicks)::float8 AS clicks,
    sum(hashes)::float8 AS hashes
  FROM workspace_rollups WHERE bucket_start >= to_timestamp(${from}) AND bucket_start < to_timestamp(${to}::float8)
    AND bucket_start >= ${KEPT_FROM}
  GROUP BY workspace_id, bucket_start HAVING sum(clicks) > 0`;

const KEPT_FROM = sql`COALESCE((SELECT kept_from FROM event_retention), '-infinity')`;
const HOUR_S = 3_600;

/**
 * Over whole hours, one after the other, so that ClickHouse holds the event ids of one. Hours in which neither has a click cost nothing.
 * Rejects as `RunSql` and `ClickHouse` do.
 */
export async function compareStores(
  { runSql, clickHouse }: { readonly runSql: RunSql; readonly clickHouse: ClickHouse },
  range: { readonly sinceMs: number; readonly untilMs: number },
  timeoutMs: number,
): Promise<StoreComparison> {
  const [kept] = await runSql(
    sql`SELECT extract(epoch FROM kept_from)::float8 AS kept_s FROM event_retention`,
    timeoutMs,
  );
  const fromS = Math.max(0, range.sinceMs / 1_000, Number(kept?.["kept_s"] ?? 0));
  const sinceS = Math.floor(fromS / HOUR_S) * HOUR_S;
  const untilS = Math.ceil(range.untilMs / 1_000);
  const removals = keptOut(await readRemovals(runSql, null, timeoutMs));
  const hours = await clickHouse.select(
    `SELECT DISTINCT toUnixTimestamp(toStartOfHour(quarter)) AS hour FROM clicks
     WHERE quarter >= toDateTime({since:UInt32}, 'UTC') AND quarter < toDateTime({until:UInt32}, 'UTC')`,
    { since: sinceS, until: untilS },
    timeoutMs,
  );
  const counted = await runSql(
    sql`SELECT DISTINCT extract(epoch FROM date_trunc('hour', bucket_start))::bigint AS hour FROM workspace_rollups
      WHERE bucket_start >= to_timestamp(${sinceS}::float8) AND bucket_start < to_timestamp(${untilS}::float8)`,
    timeoutMs,
  );
  const starts = [...new Set([...hours, ...counted].map(({ hour }) => Number(hour)))].toSorted(
    (a, b) => a - b,
  );
  const total = { quarters: 0, different: 0, difference: 0, rows: 0, repeated: 0 };
  const days = new Set<string>();
  for (const start of starts) {
    const hour = { from: start, to: Math.min(start + HOUR_S, untilS) };
    let found = NOTHING;
    for (let time = 0; time < MAX_TIMES && (time === 0 || found.different > 0); time += 1) {
      found = await compareHour({ runSql, clickHouse }, { ...hour, removals }, timeoutMs);
    }
    for (const name of NAMES) {
      total[name] += found[name];
    }
    if (found.different > 0) {
      days.add(new Date(start * 1_000).toISOString().slice(0, 10));
    }
  }
  return { ...total, days: [...days] };
}

/** Clicks that come late are in one store before the other. */
const MAX_TIMES = 3;
const NOTHING = { quarters: 0, different: 0, difference: 0, rows: 0, repeated: 0 };
const NAMES = ["quarters", "different", "difference", "rows", "repeated"] as const;

type Hour = { readonly from: number; readonly to: number; readonly removals: string };

async function compareHour(
  { runSql, clickHouse }: { readonly runSql: RunSql; readonly clickHouse: ClickHouse },
  { from, to, removals }: Hour,
  timeoutMs: number,
): Promise<typeof NOTHING> {
  const total = { ...NOTHING };
  const rows = await runSql(rolledUp(from, to), timeoutMs);
  const found = await clickHouse.select(
    `SELECT concat(toString(workspace_id), '/', toString(toUnixTimestamp(quarter))) AS key, count() AS events, sum(hash) AS hashes,
       sum(n) AS found, quarter >= toStartOfFifteenMinutes(now('UTC')) - 900 AS is_new
     FROM (
       SELECT workspace_id, quarter, event_id, count() AS n, any(event_hash) AS hash FROM clicks
       WHERE quarter >= toDateTime({from:UInt32}, 'UTC') AND quarter < toDateTime({to:UInt32}, 'UTC') ${removals}
       GROUP BY workspace_id, quarter, event_id
     ) GROUP BY workspace_id, quarter`,
    { from, to },
    timeoutMs,
  );
  const byKey = new Map(found.map((row) => [String(row["key"]), row]));
  for (const { key, clicks, hashes } of rows) {
    add(total, { clicks: Number(clicks), hashes: Number(hashes) }, byKey.get(String(key)));
    byKey.delete(String(key));
  }
  for (const row of byKey.values()) {
    add(total, { clicks: 0, hashes: 0 }, row);
  }
  return total;
}

function add(
  total: { -readonly [Name in keyof typeof NOTHING]: number },
  { clicks, hashes }: { readonly clicks: number; readonly hashes: number },
  row: ClickHouseRow = {},
): void {
  const [events, found] = [Number(row["events"] ?? 0), Number(row["found"] ?? 0)];
  // The newest two have clicks that are just being counted.
  const isAlike =
    Number(row["is_new"] ?? 0) === 1
      ? events >= clicks
      : events === clicks && Number(row["hashes"] ?? 0) === hashes;
  total.quarters += 1;
  total.different += isAlike ? 0 : 1;
  total.difference += isAlike ? 0 : Math.abs(events - clicks);
  total.rows += found;
  total.repeated += found - events;
}
