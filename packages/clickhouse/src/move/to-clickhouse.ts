/**
 * From now on, clicks are counted in ClickHouse. Those of the past are copied before, with traffic going on; then those that came while they
 * were copied. May be interrupted anywhere and run again.
 */
import { sql } from "@hopline/db/sql";
import { compareStores, type StoreComparison } from "../compare-stores.ts";
import { deleteWhere } from "../store/delete-clicks.ts";
import { copySlices } from "./click-slice.ts";
import { findDays, inDay, IS_FROM_BEFORE, type MoveDeps, readMode, setMode } from "./counting-mode.ts";

/** A day that differs is copied again so often: links may have been deleted with their clicks meanwhile. */
const MAX_REPAIRS = 3;

/** Rejects as `RunSql` and `ClickHouse` do. The comparison is of the end: `different` is 0 unless something is wrong. */
export async function moveToClickHouse(deps: MoveDeps): Promise<StoreComparison> {
  const { runSql, clickHouse, timeoutMs, onProgress } = deps;
  if ((await readMode(runSql, timeoutMs)) === "postgres") {
    await clickHouse.execute("TRUNCATE TABLE clicks", {}, timeoutMs);
    // Postgres has forgotten which clicks these were of.
    for (const table of [sql`click_rollups`, sql`workspace_rollups`]) {
      await runSql(sql`UPDATE ${table} SET hashes = 0 WHERE hashes <> 0`, timeoutMs);
    }
    await runSql(sql`DELETE FROM clickhouse_removals`, timeoutMs);
    const [row] = await runSql(
      sql`SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon`,
      timeoutMs,
    );
    for (const day of await findDays(deps)) {
      onProgress(`${day}: ${await copySlices(deps, inDay(day), timeoutMs)} clicks copied`);
    }
    await setMode(deps, "clickhouse");
    const since = sql`inserted_xid >= ${String(row?.["horizon"])}::bigint AND ${IS_FROM_BEFORE}`;
    onProgress(`since then: ${await copySlices(deps, since, timeoutMs)} clicks copied`);
  }
  const found = await compareAndRepair(deps);
  await runSql(sql`TRUNCATE click_cube, cube_days, cube_visitors, cube_visits`, timeoutMs);
  await runSql(sql`DELETE FROM work WHERE kind IN ('summary', 'tags')`, timeoutMs);
  return found;
}

const QUARTER_S = 900;

/** Of the newest quarters of an hour a comparison takes more clicks for some that are being counted: some were removed since they were copied. */
async function copyNewestAgain(deps: MoveDeps): Promise<void> {
  const sinceS = (Math.floor(Date.now() / 1_000 / QUARTER_S) - 2) * QUARTER_S;
  const condition = `event_hash = 0 AND quarter >= toDateTime({since:UInt32}, 'UTC')`;
  await deleteWhere(deps.clickHouse, { condition, parameters: { since: sinceS } }, deps.timeoutMs);
  await copySlices(
    deps,
    sql`clicked_at >= to_timestamp(${sinceS}::float8) AND ${IS_FROM_BEFORE}`,
    deps.timeoutMs,
  );
}

async function compareAndRepair(deps: MoveDeps): Promise<StoreComparison> {
  const { clickHouse, timeoutMs, onProgress } = deps;
  await copyNewestAgain(deps);
  for (let repair = 0; ; repair += 1) {
    const found = await compareStores(deps, { sinceMs: 0, untilMs: Date.now() }, timeoutMs);
    if (found.different === 0 || repair === MAX_REPAIRS) {
      return found;
    }
    for (const day of found.days) {
      // Only what was counted in Postgres has no hash.
      const condition = "event_hash = 0 AND toDate(quarter) = {day:Date}";
      await deleteWhere(clickHouse, { condition, parameters: { day } }, timeoutMs);
      onProgress(
        `${day}: ${await copySlices(deps, sql`${inDay(day)} AND ${IS_FROM_BEFORE}`, timeoutMs)} clicks copied again`,
      );
    }
  }
}
