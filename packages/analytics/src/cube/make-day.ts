/**
 * Makes one UTC day of a workspace's cube, a slice at a time. Transactions write only at their end, because the live stream
 * waits for those that have written.
 *
 * Nothing is read of a day until its slices have as many clicks as the rollups, so a half-made day is only slow.
 */
import type { RunTransaction } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import { QUARTER_MS } from "../calendar.ts";
import { toTimestamp } from "../instant.ts";
import { CUBE_COLUMNS, MADE_AT_ONCE } from "./cube-columns.ts";
import { type CubeDay, isOfDay, isWithin, lockDay, openSession, type Run } from "./cube-session.ts";
import { countValues, insertCells, insertSums } from "./insert-cells.ts";
import { insertVisitors } from "./insert-visitors.ts";
import { makeTags } from "./make-tags.ts";
import { type DayPlan, type DayState, planDay, QUARTERS, type Slice } from "./plan-day.ts";

export type MakeOptions = {
  /** Of each transaction. */
  readonly timeoutMs: number;
  /** Clicks that one statement aggregates. */
  readonly sliceClicks?: number;
};

const SLICE_CLICKS = 500_000;
/** The planner takes groups for several times as large as they are. */
const HASH_MEMORY = sql`SELECT set_config('hash_mem_multiplier', '8', true)`;

/** Makes at most one slice. Resolves to whether the day is finished. Rejects as the database does. */
export async function makeDay(
  runTransaction: RunTransaction,
  day: CubeDay,
  { timeoutMs, sliceClicks = SLICE_CLICKS }: MakeOptions,
): Promise<boolean> {
  const run = openSession(runTransaction, timeoutMs);
  const state = await readDay(run, day);
  const { keep, make, visitors } = planDay(state, sliceClicks);
  const [slice, ...more] = make;
  if (slice !== undefined) {
    await makeSlice(run, day, { ...slice, keep });
  }
  if (more.length > 0) {
    return false;
  }
  if (visitors !== null) {
    if (state.visitorClicks !== null) {
      await run([sql`DELETE FROM cube_visitors WHERE ${isOfDay(day)}`]);
    }
    await run([insertVisitors(day, visitors)]);
  }
  await makeTags(run, day);
  return true;
}

async function readDay(run: Run, day: CubeDay): Promise<DayState> {
  const isVisitors = sql`scope = '' AND scope_value = '' AND NOT of_humans`;
  const [rolledUp = [], slices = [], [visitors] = [], [left] = []] = await run([
    sql`SELECT extract(epoch FROM bucket_start)::bigint / 900 % 96 AS quarter, sum(clicks)::float8 AS clicks
      FROM workspace_rollups WHERE ${isWithin(day, sql`bucket_start`)} GROUP BY 1`,
    sql`SELECT slice, end_quarter, clicks::float8 AS clicks FROM cube_days WHERE ${isOfDay(day)} ORDER BY slice`,
    sql`SELECT day_clicks::float8 AS clicks FROM cube_visitors WHERE ${isOfDay(day)} AND ${isVisitors}`,
    // The number of clicks that are left of a day whose clicks retention has removed. No row: it has not.
    sql`SELECT (SELECT count(*) FROM click_events WHERE ${isWithin(day, sql`clicked_at`)})::float8 AS clicks
      FROM event_retention WHERE kept_from > ${toTimestamp(day.dayMs)}`,
  ]);
  const clicksOf = new Map(rolledUp.map((row) => [Number(row["quarter"]), Number(row["clicks"])]));
  return {
    quarters: Array.from({ length: QUARTERS }, (_, quarter) => clicksOf.get(quarter) ?? 0),
    slices: slices.map((row) => ({
      slice: Number(row["slice"]),
      end: Number(row["end_quarter"]),
      clicks: Number(row["clicks"]),
    })),
    visitorClicks: visitors === undefined ? null : Number(visitors["clicks"]),
    leftClicks: left === undefined ? null : Number(left["clicks"]),
  };
}

/** Throws if clicks came in since the day was planned. */
async function makeSlice(
  run: Run,
  day: CubeDay,
  { slice, from, end, clicks, keep }: Slice & Pick<DayPlan, "keep">,
): Promise<void> {
  const [fromMs, toMs] = [day.dayMs + from * QUARTER_MS, day.dayMs + end * QUARTER_MS];
  // Also what a try that failed has left.
  const drop = ["cube_days", "click_cube"].map(
    (table) =>
      sql`DELETE FROM ${sql.identifier(table)} WHERE ${isOfDay(day)} AND slice <> ALL(${keep}::integer[])`,
  );
  const [, [found = {}] = []] = await run([
    lockDay(day),
    countValues({ ...day, dayMs: fromMs }, toMs),
    ...drop,
  ]);
  const known = CUBE_COLUMNS.filter((column) => found[column] !== 0);
  for (const scopes of MADE_AT_ONCE) {
    const made = insertCells(scopes, { day, slice, fromMs, toMs, known });
    const [, counts = []] = await run([HASH_MEMORY, made]);
    if (counts.length < scopes.length || counts.some((row) => Number(row["clicks"]) !== clicks)) {
      throw new Error("clicks came in while the slice was made");
    }
  }
  const ofDevices = sql`SELECT '' AS place, cell.* FROM click_cube AS cell
    WHERE ${isOfDay(day)} AND slice = ${slice}::integer AND scope = 'device'`;
  await run([
    insertSums("", "device", ofDevices, { day, slice }),
    sql`INSERT INTO cube_days (workspace_id, day, slice, end_quarter, clicks)
      VALUES (${day.workspaceId}::uuid, ${toTimestamp(day.dayMs)}, ${slice}::integer, ${end}::integer, ${clicks}::bigint)`,
  ]);
}
