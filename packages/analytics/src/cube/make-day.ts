/**
 * Makes one UTC day of a workspace's cube, a slice at a time. Each scope is a transaction of its own that writes only at its end,
 * because the live stream waits for transactions that have written.
 *
 * Nothing is read of a day until its slices have as many clicks as the rollups, so a half-made day is only slow.
 */
import type { RunTransaction, SqlRow, SqlStatement } from "@hopline/db/neon-client";
import { CUBE_SCOPES } from "./cube-columns.ts";
import { type CubeDay, IS_OF_DAY, lockDay, openSession, type Run } from "./cube-session.ts";
import { insertCells } from "./insert-cells.ts";
import { insertVisitors, VISITOR_SCOPES } from "./insert-visitors.ts";
import { makeTags } from "./make-tags.ts";
import { type DayState, planDay, QUARTERS, type Slice } from "./plan-day.ts";

export type MakeOptions = {
  /** Of each transaction. */
  readonly timeoutMs: number;
  /** Clicks that one statement aggregates. */
  readonly sliceClicks?: number;
};

const SLICE_CLICKS = 250_000;
/** The scopes of a slice with so few clicks are made in one request. */
const FEW_CLICKS = 2_000;
const QUARTER_MS = 900_000;

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
    // Also what a try that failed has left.
    await run(dropSlicesBut(day, keep));
    await makeSlice(run, day, slice);
  }
  if (more.length > 0) {
    return false;
  }
  if (visitors !== null) {
    await countVisitors(run, day, visitors);
  }
  await makeTags(run, day);
  return true;
}

const ROLLED_UP = `
  SELECT extract(epoch FROM bucket_start)::bigint / 900 % 96 AS quarter, sum(clicks)::float8 AS clicks
  FROM workspace_rollups WHERE workspace_id = $1::uuid AND bucket_start >= to_timestamp($2::float8 / 1000.0)
    AND bucket_start < to_timestamp($2::float8 / 1000.0) + interval '24 hours'
  GROUP BY 1`;
const SLICES = `
  SELECT slice, end_quarter, clicks::float8 AS clicks FROM cube_days WHERE ${IS_OF_DAY} ORDER BY slice`;
const VISITORS = `
  SELECT day_clicks::float8 AS clicks FROM cube_visitors
  WHERE ${IS_OF_DAY} AND scope = '' AND scope_value = '' AND NOT of_humans`;
/** The number of clicks that are left of a day whose clicks retention has removed. NULL: it has not. */
const LEFT = `
  SELECT (SELECT count(*) FROM click_events WHERE workspace_id = $1::uuid
    AND clicked_at >= to_timestamp($2::float8 / 1000.0)
    AND clicked_at < to_timestamp($2::float8 / 1000.0) + interval '24 hours')::float8 AS clicks
  FROM event_retention WHERE kept_from > to_timestamp($2::float8 / 1000.0)`;

async function readDay(run: Run, { workspaceId, dayMs }: CubeDay): Promise<DayState> {
  const parameters = [workspaceId, dayMs];
  const [rolledUp = [], slices = [], [visitors] = [], [left] = []] = await run(
    [ROLLED_UP, SLICES, VISITORS, LEFT].map((text) => ({ text, parameters })),
  );
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

function dropSlicesBut(day: CubeDay, keep: readonly number[]): readonly SqlStatement[] {
  const drop = ["cube_days", "click_cube"].map((table) => ({
    text: `DELETE FROM ${table} WHERE ${IS_OF_DAY} AND slice <> ALL($3::integer[])`,
    parameters: [day.workspaceId, day.dayMs, keep],
  }));
  return [lockDay(day), ...drop];
}

/** Throws if clicks came in since the day was planned. */
async function makeSlice(run: Run, day: CubeDay, { slice, from, end, clicks }: Slice): Promise<void> {
  const { workspaceId, dayMs } = day;
  const parameters = [workspaceId, dayMs + from * QUARTER_MS, dayMs + end * QUARTER_MS, slice];
  const inserts = CUBE_SCOPES.map((scope) => ({ text: insertCells(scope), parameters }));
  const results = await (clicks <= FEW_CLICKS ? run(inserts) : runEach(run, inserts));
  const counts = results.map(([row]) => Number(row?.["clicks"]));
  if (counts.some((count) => count !== clicks)) {
    throw new Error("clicks came in while the slice was made");
  }
  const text = `
    INSERT INTO cube_days (workspace_id, day, slice, end_quarter, clicks)
    VALUES ($1::uuid, to_timestamp($2::float8 / 1000.0), $3::integer, $4::integer, $5::bigint)`;
  await run([{ text, parameters: [workspaceId, dayMs, slice, end, clicks] }]);
}

async function countVisitors(run: Run, { workspaceId, dayMs }: CubeDay, clicks: number): Promise<void> {
  const drop = { text: `DELETE FROM cube_visitors WHERE ${IS_OF_DAY}`, parameters: [workspaceId, dayMs] };
  const parameters = [workspaceId, dayMs, dayMs + QUARTERS * QUARTER_MS, clicks];
  const inserts = VISITOR_SCOPES.map((scope) => ({ text: insertVisitors(scope), parameters }));
  await (clicks <= FEW_CLICKS ? run([drop, ...inserts]) : runEach(run, [drop, ...inserts]));
}

async function runEach(run: Run, statements: readonly SqlStatement[]): Promise<(readonly SqlRow[])[]> {
  const results: (readonly SqlRow[])[] = [];
  for (const statement of statements) {
    results.push(...(await run([statement])));
  }
  return results;
}
