/**
 * Copies clicks in the order of their transactions, a range at a time: from where the last range ended, up to the oldest
 * transaction that is still open. Nothing can be added below that, so a range always has the same clicks, and its inserts are
 * repeated under the same tokens until all of them have arrived.
 */
import type { RunSql, SqlRow } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import type { ClickHouse } from "../clickhouse-client.ts";
import { insertSlice, readSlice, selectSlice, type Slice, SLICE_ROWS } from "./click-slice.ts";

export type CopyDeps = {
  readonly runSql: RunSql;
  readonly clickHouse: ClickHouse;
  /** Of one statement on either side. */
  readonly timeoutMs: number;
};

/** A range is read window by window, each about a slice: Postgres sorts no more than it sends. */
const WINDOWS = 4;
/** Clicks of a range: about. */
const RANGE_CLICKS = WINDOWS * SLICE_ROWS;
const MAX_RANGE_CLICKS = 2 * RANGE_CLICKS;
const GROWTH = 8;

/**
 * Clicks that reach Postgres later than this are found when days are compared. Keeps the statements off compressed chunks of a
 * hypertable, which hold no order by transaction.
 */
const COPIED_FOR = sql`interval '7 days'`;
const HORIZON = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
const NO_EVENT = "00000000-0000-0000-0000-000000000000";
const ALL_WORKSPACES = "00000000-0000-0000-0000-000000000000";

/** The first run: what is there already is copied by days. */
const START = sql`
  WITH started AS (
    INSERT INTO clickhouse_copy (started_xid, next_xid, since_day)
    SELECT ${HORIZON}, ${HORIZON}, (COALESCE((SELECT min(clicked_at) FROM click_events), now()) AT TIME ZONE 'UTC')::date
    ON CONFLICT DO NOTHING
    RETURNING started_xid, since_day
  )
  INSERT INTO clickhouse_day_copies (day, workspace_id, before_xid)
  SELECT day::date, ${ALL_WORKSPACES}::uuid, started_xid
  FROM started, generate_series(since_day::timestamp, (now() AT TIME ZONE 'UTC')::date::timestamp, '1 day') AS day
  ON CONFLICT DO NOTHING`;

const STATE = sql`
  SELECT next_xid::float8 AS next, planned_xid::float8 AS planned, span::float8 AS span,
    extract(epoch FROM planned_since)::float8 AS since, ${HORIZON}::float8 AS horizon
  FROM clickhouse_copy`;

const countUpTo = (from: number, to: number) => sql`
  SELECT count(*)::int AS clicks FROM (
    SELECT FROM click_events
    WHERE inserted_xid >= ${from}::bigint AND inserted_xid < ${to}::bigint AND clicked_at > now() - ${COPIED_FOR}
    LIMIT ${MAX_RANGE_CLICKS + 1}
  ) AS waiting`;

type Range = { readonly from: number; readonly to: number };

const plan = ({ from, to }: Range, span: number) => sql`
  UPDATE clickhouse_copy SET planned_xid = ${to}::bigint, planned_since = now() - ${COPIED_FOR}, span = ${span}::bigint
  WHERE next_xid = ${from}::bigint AND planned_xid IS NULL`;

const selectFrom = ({ xid, eventId, windowEnd }: Position, since: number) =>
  selectSlice(
    sql`
    SELECT * FROM click_events
    WHERE inserted_xid >= ${xid}::bigint AND inserted_xid < ${windowEnd}::bigint AND clicked_at > to_timestamp(${since}::float8)
      AND workspace_id IS NOT NULL AND (inserted_xid, event_id) > (${xid}::bigint, ${eventId}::uuid)
    ORDER BY inserted_xid, event_id LIMIT ${SLICE_ROWS}`,
    sql`inserted_xid`,
  );

const settle = ({ from, to }: Range) => sql`
  UPDATE clickhouse_copy SET next_xid = planned_xid, planned_xid = NULL, planned_since = NULL
  WHERE next_xid = ${from}::bigint AND planned_xid = ${to}::bigint`;

const noteCaughtUp = (xid: number) => sql`
  UPDATE clickhouse_copy SET caught_up_at = now() WHERE next_xid = ${xid}::bigint`;

/** The database was restored from a dump: transactions are numbered from the start again. */
export class CopyLostError extends Error {
  override readonly name = "CopyLostError";
}

type State = {
  readonly next: number;
  readonly planned: number | null;
  readonly span: number;
  /** Epoch seconds. */
  readonly since: number;
  readonly horizon: number;
};

/**
 * Copies one range. Resolves to whether more was waiting than the range could hold. Rejects as `RunSql` and `ClickHouse` do, or with
 * a `CopyLostError`.
 */
export async function copyNewClicks(deps: CopyDeps): Promise<boolean> {
  const before = (await readState(deps)) ?? (await start(deps));
  if (before.next > before.horizon) {
    throw new CopyLostError(
      "The position of the copy is ahead of the database: run `pnpm clickhouse restart`.",
    );
  }
  if (before.planned === null && !(await planRange(before, deps))) {
    return false;
  }
  const state = (await readState(deps)) ?? before;
  const { planned, next, horizon } = state;
  if (planned === null) {
    // Another copier was faster.
    return next < horizon;
  }
  await copyRange({ ...state, planned }, deps);
  if (planned < before.horizon) {
    return true;
  }
  await deps.runSql(noteCaughtUp(planned), deps.timeoutMs);
  return false;
}

/** Of one insert; the same for the same range. */
type Position = { readonly xid: number; readonly eventId: string; readonly windowEnd: number };

async function copyRange(state: State & { readonly planned: number }, deps: CopyDeps): Promise<void> {
  const { next: from, planned: to, since, span } = state;
  const { runSql, clickHouse, timeoutMs } = deps;
  const windowFrom = (xid: number): Position => {
    return { xid, eventId: NO_EVENT, windowEnd: Math.min(xid + span, to) };
  };
  const read = (position: Position) => readSlice(runSql, selectFrom(position, since), timeoutMs);
  const after = ({ end, clicks }: Slice, { windowEnd }: Position): Position | null => {
    if (end !== null && clicks >= SLICE_ROWS) {
      return { xid: Number(end.position), eventId: end.eventId, windowEnd };
    }
    return windowEnd < to ? windowFrom(windowEnd) : null;
  };
  let position: Position | null = windowFrom(from);
  let slice: Slice | null = await read(position);
  while (position !== null && slice !== null) {
    const { xid, eventId, windowEnd } = position;
    const next = after(slice, position);
    // The next slice is read while this one is inserted.
    [slice] = await Promise.all([
      next === null ? null : read(next),
      slice.end === null
        ? undefined
        : insertSlice(clickHouse, slice, `new/${SLICE_ROWS}/${windowEnd}/${xid}/${eventId}`, timeoutMs),
    ]);
    position = next;
  }
  await runSql(settle({ from, to }), timeoutMs);
}

/** Decides where the next range ends. Resolves to whether there is one. */
async function planRange({ next, horizon, span: before }: State, deps: CopyDeps): Promise<boolean> {
  const { runSql, timeoutMs } = deps;
  if (next === horizon) {
    await runSql(noteCaughtUp(next), timeoutMs);
    return false;
  }
  const endOf = (span: number) => Math.min(next + WINDOWS * span, horizon);
  let [tooNarrow, span, tooWide] = [0, before, Number.POSITIVE_INFINITY];
  while (tooWide - tooNarrow > 1) {
    const [row] = await runSql(countUpTo(next, endOf(span)), timeoutMs);
    const clicks = Number(row?.["clicks"]);
    if (clicks > MAX_RANGE_CLICKS) {
      tooWide = span;
    } else if (clicks < RANGE_CLICKS / 2 && endOf(span) < horizon) {
      tooNarrow = span;
    } else {
      break;
    }
    span = Number.isFinite(tooWide) ? Math.floor((tooNarrow + tooWide) / 2) : span * GROWTH;
  }
  // Between two neighbours: one transaction has more clicks than a range should, and gets one of its own.
  span = Math.max(1, span);
  await runSql(plan({ from: next, to: endOf(span) }, span), timeoutMs);
  return true;
}

async function start(deps: CopyDeps): Promise<State> {
  await deps.runSql(START, deps.timeoutMs);
  const state = await readState(deps);
  if (state === null) {
    throw new Error("invariant: starting makes the row of clickhouse_copy");
  }
  return state;
}

async function readState({ runSql, timeoutMs }: CopyDeps): Promise<State | null> {
  const [row] = await runSql(STATE, timeoutMs);
  return row === undefined ? null : toState(row);
}

function toState({ next, planned, span, since, horizon }: SqlRow): State {
  return {
    next: Number(next),
    planned: planned === null ? null : Number(planned),
    span: Number(span),
    since: Number(since),
    horizon: Number(horizon),
  };
}
