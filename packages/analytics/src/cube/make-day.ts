/**
 * Makes one UTC day of a workspace's cube, a slice at a time. Each scope is a transaction of its own that writes only at its end,
 * because the live stream waits for transactions that have written.
 *
 * Nothing is read of a day until its slices have as many clicks as the rollups, so a half-made day is only slow.
 */
import type { RunTransaction, SqlRow } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import { CUBE_SCOPES } from "./cube-columns.ts";
import {
  type CubeDay,
  instantOf,
  isOfDay,
  isWithin,
  lockDay,
  openSession,
  type Run,
} from "./cube-session.ts";
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

async function readDay(run: Run, day: CubeDay): Promise<DayState> {
  const isVisitors = sql`scope = '' AND scope_value = '' AND NOT of_humans`;
  const [rolledUp = [], slices = [], [visitors] = [], [left] = []] = await run([
    sql`SELECT extract(epoch FROM bucket_start)::bigint / 900 % 96 AS quarter, sum(clicks)::float8 AS clicks
      FROM workspace_rollups WHERE ${isWithin(day, sql`bucket_start`)} GROUP BY 1`,
    sql`SELECT slice, end_quarter, clicks::float8 AS clicks FROM cube_days WHERE ${isOfDay(day)} ORDER BY slice`,
    sql`SELECT day_clicks::float8 AS clicks FROM cube_visitors WHERE ${isOfDay(day)} AND ${isVisitors}`,
    // The number of clicks that are left of a day whose clicks retention has removed. No row: it has not.
    sql`SELECT (SELECT count(*) FROM click_events WHERE ${isWithin(day, sql`clicked_at`)})::float8 AS clicks
      FROM event_retention WHERE kept_from > ${instantOf(day.dayMs)}`,
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

function dropSlicesBut(day: CubeDay, keep: readonly number[]): readonly Sql[] {
  const drop = ["cube_days", "click_cube"].map(
    (table) =>
      sql`DELETE FROM ${sql.identifier(table)} WHERE ${isOfDay(day)} AND slice <> ALL(${keep}::integer[])`,
  );
  return [lockDay(day), ...drop];
}

/** Throws if clicks came in since the day was planned. */
async function makeSlice(run: Run, day: CubeDay, { slice, from, end, clicks }: Slice): Promise<void> {
  const [fromMs, toMs] = [day.dayMs + from * QUARTER_MS, day.dayMs + end * QUARTER_MS];
  const inserts = CUBE_SCOPES.map((scope) => insertCells(scope, { day, slice, fromMs, toMs }));
  const results = await (clicks <= FEW_CLICKS ? run(inserts) : runEach(run, inserts));
  const counts = results.map(([row]) => Number(row?.["clicks"]));
  if (counts.some((count) => count !== clicks)) {
    throw new Error("clicks came in while the slice was made");
  }
  await run([
    sql`INSERT INTO cube_days (workspace_id, day, slice, end_quarter, clicks)
      VALUES (${day.workspaceId}::uuid, ${instantOf(day.dayMs)}, ${slice}::integer, ${end}::integer, ${clicks}::bigint)`,
  ]);
}

async function countVisitors(run: Run, day: CubeDay, clicks: number): Promise<void> {
  const statements = [
    sql`DELETE FROM cube_visitors WHERE ${isOfDay(day)}`,
    ...VISITOR_SCOPES.map((scope) => insertVisitors(scope, day, clicks)),
  ];
  await (clicks <= FEW_CLICKS ? run(statements) : runEach(run, statements));
}

async function runEach(run: Run, statements: readonly Sql[]): Promise<(readonly SqlRow[])[]> {
  const results: (readonly SqlRow[])[] = [];
  for (const statement of statements) {
    results.push(...(await run([statement])));
  }
  return results;
}
