/**
 * Makes one UTC day of a workspace's cube, a slice at a time. Transactions write only at their end, because the live stream
 * waits for those that have written.
 *
 * A slice counts from the transaction that writes its row of cube_days, and there takes the place of those before it: at any moment, each
 * click is in at most one.
 */
import type { RunTransaction } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import { DAY_MS, QUARTER_MS } from "../calendar.ts";
import { toTimestamp } from "../instant.ts";
import { CUBE_COLUMNS, MADE_AT_ONCE, QUARTER } from "./cube-columns.ts";
import {
  type CubeDay,
  DAY_SLICE,
  isOfDay,
  isWithin,
  lockDay,
  openSession,
  type Run,
  SLICE_OF_CELL,
} from "./cube-session.ts";
import { countValues, insertCells, insertSums, QUARTER_OF_CLICK, selectEvents } from "./insert-cells.ts";
import { addVisitors, replaceVisitors, sumVisitors } from "./insert-visitors.ts";
import { insertTags } from "./make-tags.ts";
import {
  ALL_CLICKS,
  type DayState,
  FIRST_OPEN_SLICE,
  hasVisits,
  planDay,
  QUARTERS,
  type Slice,
  type SliceSizes,
  type Sources,
} from "./plan-day.ts";

export type MakeOptions = Partial<SliceSizes> & {
  /** Of each transaction. */
  readonly timeoutMs: number;
  readonly nowMs: number;
};

const SIZES: SliceSizes = { sliceClicks: 500_000, openClicks: 10_000, mostOpenClicks: 100_000 };
/** The planner takes groups for several times as large as they are. */
export const HASH_MEMORY = sql`SELECT set_config('hash_mem_multiplier', '8', true)`;

/** It also takes clicks and lists for far fewer than they are, and would compare each with each cell. */
const HASH_JOINS = sql`SELECT set_config('enable_nestloop', 'off', true)`;

/** When to go on with the day; `undefined`: it is finished. */
export type Rest = { readonly againInSeconds: number } | undefined;

/** Makes at most one slice. Rejects as the database does. */
export async function makeDay(
  runTransaction: RunTransaction,
  day: CubeDay,
  { timeoutMs, nowMs, ...sizes }: MakeOptions,
): Promise<Rest> {
  const run = openSession(runTransaction, timeoutMs);
  const all = { ...SIZES, ...sizes };
  for (let isMade = false; ;) {
    const state = await readDay(run, day, nowMs);
    // Its clicks are in ClickHouse, which needs no cube.
    if (!state.isHere) {
      return undefined;
    }
    const plan = planDay(state, all);
    if (plan.next === "wait") {
      return { againInSeconds: plan.seconds };
    }
    if (plan.next !== "slice") {
      if (plan.next === "visitors") {
        const toStatements = plan.isSum ? sumVisitors : replaceVisitors;
        await run(toStatements(day, { ...ALL_CLICKS, slice: state.visitors.last + 1 }, plan.clicks));
      }
      return undefined;
    }
    if (isMade) {
      return { againInSeconds: 0 };
    }
    isMade =
      plan.sources === undefined
        ? await makeSlice(run, day, { ...plan, state, ...all })
        : await mergeSlices(run, day, { ...plan, sources: plan.sources, state });
    if (!isMade) {
      // They are not there any more, or a transaction that began before them is still under way.
      const events = selectEvents(day, { ...plan.slice, untilXid: ALL_CLICKS.untilXid });
      const [[left] = []] = await run([sql`SELECT EXISTS (SELECT ${events}) AS found`]);
      return state.isRemoved && left?.["found"] !== true ? undefined : { againInSeconds: 60 };
    }
  }
}

async function readDay(
  run: Run,
  day: CubeDay,
  nowMs: number,
): Promise<DayState & { readonly isHere: boolean }> {
  const isVisitors = sql`scope = '' AND scope_value = '' AND NOT of_humans`;
  // The horizon first: clicks of transactions before it are in the rollups that are read then.
  const [[about = {}] = [], rolledUp = [], slices = [], [visitors = {}] = []] = await run([
    sql`SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
      EXISTS (SELECT FROM event_retention WHERE kept_from > ${toTimestamp(day.dayMs)}) AS is_removed,
      (SELECT mode = 'postgres' FROM counting_mode) AS is_here`,
    sql`SELECT extract(epoch FROM bucket_start)::bigint / 900 % 96 AS quarter, sum(clicks)::float8 AS clicks
      FROM workspace_rollups WHERE ${isWithin(day, sql`bucket_start`)} GROUP BY 1`,
    sql`SELECT slice, until_xid::text AS until_xid, quarter_clicks FROM cube_days WHERE ${isOfDay(day)} ORDER BY slice`,
    sql`SELECT COALESCE(sum(day_clicks), 0)::float8 AS clicks, count(*)::integer AS parts, COALESCE(max(slice) FILTER (WHERE slice < ${FIRST_OPEN_SLICE}), 0) AS last
      FROM cube_visitors WHERE ${isOfDay(day)} AND ${isVisitors}`,
  ]);
  const clicksOf = new Map(rolledUp.map((row) => [Number(row["quarter"]), Number(row["clicks"])]));
  const passedMs = Math.min(Math.max(0, nowMs - day.dayMs), DAY_MS);
  return {
    quarters: Array.from({ length: QUARTERS }, (_, quarter) => clicksOf.get(quarter) ?? 0),
    slices: slices.map((row) => ({
      slice: Number(row["slice"]),
      untilXid: String(row["until_xid"]),
      clicks: [row["quarter_clicks"]].flat().map(Number),
    })),
    horizonXid: String(about["horizon"]),
    passed: Math.floor(passedMs / QUARTER_MS),
    isRemoved: about["is_removed"] === true,
    isHere: about["is_here"] === true,
    visitors: {
      clicks: Number(visitors["clicks"]),
      parts: Number(visitors["parts"]),
      last: Number(visitors["last"]),
    },
  };
}

type Planned = { readonly slice: Slice; readonly clicks: number; readonly state: DayState };
type Making = SliceSizes & Planned;

/** Resolves to whether it has any clicks. Throws if clicks came in since the day was planned. */
async function makeSlice(
  run: Run,
  day: CubeDay,
  { state, mostOpenClicks, ...planned }: Making,
): Promise<boolean> {
  const slice = await limitSlice(run, day, planned, mostOpenClicks);
  const [, [found = {}] = [], counted = []] = await run([
    lockDay(day),
    countValues(day, slice),
    sql`SELECT ${QUARTER_OF_CLICK}::integer AS quarter, count(*)::float8 AS clicks ${selectEvents(day, slice)} GROUP BY 1`,
    dropCells(day, slice),
  ]);
  const { first, end } = quartersOf(slice);
  const quarters = Array.from({ length: end - first }, () => 0);
  for (const { quarter, clicks } of counted) {
    quarters[Number(quarter) - first] = Number(clicks);
  }
  const clicks = quarters.reduce((sum, one) => sum + one, 0);
  if (clicks === 0) {
    return false;
  }
  // An open slice's cells are of one quarter of an hour each.
  const isMade = (column: string) => column !== QUARTER || !slice.isOpen;
  const known = CUBE_COLUMNS.filter((column) => found[column] !== 0 && isMade(column));
  // Its clicks are few enough to be read once for all scopes.
  const atOnce = slice.isOpen ? [MADE_AT_ONCE.flat().filter(isMade)] : MADE_AT_ONCE;
  for (const scopes of atOnce) {
    const [, , counts = []] = await run([
      HASH_MEMORY,
      HASH_JOINS,
      insertCells(scopes, day, { ...slice, known }),
    ]);
    const isWhole = slice.isOpen || clicks === planned.clicks;
    if (!isWhole || counts.length < scopes.length || counts.some((row) => Number(row["clicks"]) !== clicks)) {
      throw new Error("clicks came in while the slice was made");
    }
  }
  await run([
    lockDay(day),
    HASH_MEMORY,
    ...(slice.isOpen && hasVisits(state) ? [addVisitors(day, slice, clicks)] : []),
    ...finishSlice(day, slice, {
      quarters,
      untilXid: slice.isOpen ? slice.untilXid : state.horizonXid,
      isRunning: state.slices.every((made) => made.slice >= FIRST_OPEN_SLICE),
    }),
  ]);
  return true;
}

/** Makes a slice of a day that is over as the sum of others. Resolves to true, or throws if they have changed. */
async function mergeSlices(
  run: Run,
  day: CubeDay,
  { slice, clicks, sources, state }: Planned & { readonly sources: Sources },
): Promise<boolean> {
  const { first, end } = quartersOf(slice);
  const isSource = sql`${SLICE_OF_CELL} IN (SELECT slice FROM cube_days WHERE ${isOfDay(day)} AND slice = ANY(${sources.slices}::integer[]))
    AND (slice < ${FIRST_OPEN_SLICE} OR slice % 96 >= ${first}::integer AND slice % 96 < ${end}::integer)`;
  await run([lockDay(day), dropCells(day, slice)]);
  for (const scope of MADE_AT_ONCE.flat()) {
    const source = sql`SELECT scope_value AS place, ${slice.slice}::integer AS into_slice, cell.* FROM click_cube AS cell
      WHERE ${isOfDay(day)} AND scope = ${scope}::text AND ${isSource}`;
    const [, , counts = []] = await run([HASH_MEMORY, HASH_JOINS, insertSums(scope, null, source, day)]);
    if (Number(counts[0]?.["clicks"] ?? 0) !== clicks) {
      throw new Error("slices have changed while they were added up");
    }
  }
  const quarters = state.quarters.slice(first, end);
  await run([
    lockDay(day),
    HASH_MEMORY,
    ...finishSlice(day, slice, { quarters, untilXid: sources.untilXid }),
  ]);
  return true;
}

/** End exclusive. */
function quartersOf(slice: Slice): { readonly first: number; readonly end: number } {
  const end = slice.isOpen ? QUARTERS : Math.max(...slice.spans.map((span) => span.end));
  return { first: slice.slice % QUARTERS, end };
}

const isOwn = ({ slice, isOpen }: Slice): Sql =>
  sql`slice >= ${slice}::integer AND slice < ${slice + (isOpen ? QUARTERS : 1)}::integer`;

/** What a try that failed has left. */
function dropCells(day: CubeDay, slice: Slice): Sql {
  return sql`DELETE FROM click_cube WHERE ${isOfDay(day)} AND ${isOwn(slice)}`;
}

type Made = {
  readonly quarters: readonly number[];
  readonly untilXid: string;
  /** Of which all slices are open. */
  readonly isRunning?: boolean;
};

/** The cells that are sums of others, and what makes the slice count. Needs the lock: links may get or lose tags. */
export function finishSlice(
  day: CubeDay,
  slice: Slice,
  { quarters, untilXid, isRunning = false }: Made,
): readonly Sql[] {
  const { first, end } = quartersOf(slice);
  const clicks = quarters.reduce((sum, one) => sum + one, 0);
  const sumsOfDevices = (scope: string, place: Sql) =>
    insertSums(
      scope,
      "device",
      sql`SELECT ${place} AS place, slice AS into_slice, cell.* FROM click_cube AS cell
        WHERE ${isOfDay(day)} AND ${isOwn(slice)} AND scope = 'device'`,
      day,
    );
  return [
    ...insertTags(day, isOwn(slice)),
    sumsOfDevices("", sql`''`),
    ...(slice.isOpen
      ? [sumsOfDevices(QUARTER, sql`(slice % 96)::text`), ...(isRunning ? addToDay(day, slice) : [])]
      : [dropDaySum(day), ...takePlace(day, first, end)]),
    sql`INSERT INTO cube_days (workspace_id, day, slice, until_xid, clicks, quarter_clicks)
      VALUES (${day.workspaceId}::uuid, ${toTimestamp(day.dayMs)}, ${slice.slice}::integer,
        ${untilXid}::bigint, ${clicks}::bigint, ${quarters}::integer[])`,
  ];
}

const dropDaySum = (day: CubeDay): Sql =>
  sql`DELETE FROM click_cube WHERE ${isOfDay(day)} AND slice = ${DAY_SLICE}::integer`;

/** The day so far: the sum before and the slice's own cells. */
function addToDay(day: CubeDay, slice: Slice): readonly Sql[] {
  const next = DAY_SLICE - 1;
  const source = sql`SELECT '' AS place, ${next}::integer AS into_slice, cell.* FROM click_cube AS cell
    WHERE ${isOfDay(day)} AND scope = '' AND (slice = ${DAY_SLICE}::integer OR ${isOwn(slice)})`;
  return [
    insertSums("", null, source, day),
    dropDaySum(day),
    sql`UPDATE click_cube SET slice = ${DAY_SLICE}::integer WHERE ${isOfDay(day)} AND slice = ${next}::integer`,
  ];
}

/** An open slice with fewer clicks, where one statement would take too many. */
async function limitSlice(
  run: Run,
  day: CubeDay,
  { slice, clicks }: Pick<Making, "slice" | "clicks">,
  mostOpenClicks: number,
): Promise<Slice> {
  if (!slice.isOpen || clicks <= 2 * mostOpenClicks) {
    return slice;
  }
  const [[last = {}] = []] = await run([
    sql`SELECT (inserted_xid + 1)::text AS xid ${selectEvents(day, slice)} ORDER BY inserted_xid OFFSET ${mostOpenClicks} LIMIT 1`,
  ]);
  return typeof last["xid"] === "string" ? { ...slice, untilXid: last["xid"] } : slice;
}

/** Removes from other slices what is in these quarters of an hour. */
function takePlace(day: CubeDay, from: number, end: number): readonly Sql[] {
  const isOpen = sql`${isOfDay(day)} AND slice >= ${FIRST_OPEN_SLICE}`;
  const isClosed = sql`${isOfDay(day)} AND slice BETWEEN 0 AND ${FIRST_OPEN_SLICE - 1}`;
  return [
    sql`WITH gone AS (
        DELETE FROM cube_days WHERE ${isClosed}
          AND slice % 96 < ${end}::integer AND slice % 96 + cardinality(quarter_clicks) > ${from}::integer RETURNING slice
      ) DELETE FROM click_cube WHERE ${isOfDay(day)} AND slice IN (SELECT slice FROM gone)`,
    sql`DELETE FROM click_cube WHERE ${isOpen} AND slice % 96 >= ${from}::integer AND slice % 96 < ${end}::integer`,
    sql`UPDATE cube_days SET quarter_clicks = quarter_clicks[1:${from}::integer] || array_fill(0, ARRAY[${end - from}::integer])
        || quarter_clicks[${end + 1}::integer:],
        clicks = (SELECT COALESCE(sum(n), 0) FROM unnest(quarter_clicks[1:${from}::integer] || quarter_clicks[${end + 1}::integer:]) AS n)
      WHERE ${isOpen}`,
    sql`DELETE FROM cube_days WHERE ${isOpen} AND clicks = 0`,
  ];
}
