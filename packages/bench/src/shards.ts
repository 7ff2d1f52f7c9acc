/**
 * What a million clicks a second would take of Postgres if ledger, clicks, rollups and cube were sharded by isolate: arithmetic on
 * figures that were measured on one. Pure; `packages/bench/README.md` has the table.
 *
 * An isolate's segments all go to one shard, which deduplicates them; every count is a sum, so an answer is the sum of the shards'.
 */
import { dollarsFor, PRICES } from "@hopline/ops/cost/prices";
import { renderTable } from "@hopline/ops/cost/render-table";

/**
 * Per click, measured (load-tests/results/2026-11-26-runs.md, 2026-11-25-runs.md, 2026-11-25-bench-ledger.json,
 * 2026-11-28-bench-ingest-sustained.json); two cores, PostgreSQL 18.4.
 * Sustained: 15,000 clicks a second with ledger and slices of the cube. Then the finished day of the cube.
 */
const MEASURED = {
  sustainedMicroseconds: 48.2,
  finishedDayMicroseconds: 40,
  compactionMicrosecondsASegment: 7.1,
  walBytes: 2_118,
  clickBytes: 397,
  cubeBytes: 304 + 40,
} as const;

/** `clicksASegment`: of 1,000 ms (docs/capacity-and-cost.md). */
const LOAD = { clicksPerSecond: 1_000_000, clicksASegment: 10, retentionDays: 7 } as const;

const DAY_SECONDS = 86_400;
const MONTH_HOURS = 720;

type Shard = {
  readonly clicksPerSecond: number;
  readonly cores: number;
  readonly walMbPerSecond: number;
  /** Clicks of the retention. */
  readonly clicksTb: number;
  /** What is added for ever. */
  readonly cubeTbADay: number;
};

function toShard(shards: number): Shard {
  const clicksPerSecond = LOAD.clicksPerSecond / shards;
  const microseconds =
    MEASURED.sustainedMicroseconds +
    MEASURED.finishedDayMicroseconds +
    MEASURED.compactionMicrosecondsASegment / LOAD.clicksASegment;
  const cores = (clicksPerSecond * microseconds) / 1e6;
  const clicksADay = clicksPerSecond * DAY_SECONDS;
  return {
    clicksPerSecond,
    cores,
    walMbPerSecond: (clicksPerSecond * MEASURED.walBytes) / 1e6,
    clicksTb: (clicksADay * LOAD.retentionDays * MEASURED.clickBytes) / 1e12,
    cubeTbADay: (clicksADay * MEASURED.cubeBytes) / 1e12,
  };
}

/** A table, and what it costs: the same for any number of shards. */
export function renderShards(counts: readonly number[] = [1, 8, 16, 32]): string {
  const whole = toShard(1);
  const dollars = (amount: number) => `$${Math.round(amount).toLocaleString("en-US")}`;
  const compute = dollars(dollarsFor(whole.cores * MONTH_HOURS, PRICES.neonCuHours));
  const storage = dollars(dollarsFor(whole.clicksTb * 1_000, PRICES.neonStorageGbMonths));
  const table = renderTable(
    ["Shards", "Clicks/s", "Cores", "WAL", `${LOAD.retentionDays} days of clicks`, "Cube a day"],
    counts.map((count) => {
      const shard = toShard(count);
      return [
        String(count),
        shard.clicksPerSecond.toLocaleString("en-US"),
        shard.cores.toFixed(1),
        `${shard.walMbPerSecond.toFixed(0)} MB/s`,
        `${shard.clicksTb.toFixed(1)} TB`,
        `${shard.cubeTbADay.toFixed(2)} TB`,
      ];
    }),
  );
  return `${table}\n\nAll shards together, a month: ${compute} of compute, ${storage} for the clicks.`;
}
