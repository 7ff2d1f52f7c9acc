/**
 * Copies clicks in the order of their transactions, a range at a time: from where the last range ended, up to the oldest
 * transaction that is still open. Nothing can be added below that, so a range always has the same clicks, and its inserts are
 * repeated under the same tokens until all of them have arrived.
 */
import type { RunSql, SqlRow } from "@hopline/db/neon-client";
import type { ClickHouse } from "../clickhouse-client.ts";
import { insertSlice, readSlice, selectSlice, SLICE_ROWS } from "./click-slice.ts";

export type CopyDeps = {
  readonly runSql: RunSql;
  readonly clickHouse: ClickHouse;
  /** Of one statement on either side. */
  readonly timeoutMs: number;
};

/** Clicks of a range: about. */
const RANGE_CLICKS = 100_000;
const MAX_RANGE_CLICKS = 2 * RANGE_CLICKS;
const MAX_GROWTH = 16;
const MAX_TRIES = 24;

/**
 * Clicks that reach Postgres later than this are found when days are compared. Keeps the statements off compressed chunks of a
 * hypertable, which hold no order by transaction.
 */
const COPIED_FOR = "interval '7 days'";
const HORIZON = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint";
const NO_EVENT = "00000000-0000-0000-0000-000000000000";
const ALL_WORKSPACES = "00000000-0000-0000-0000-000000000000";

/** The first run: what is there already is copied by days. */
const START = `
  WITH started AS (
    INSERT INTO clickhouse_copy (started_xid, next_xid, since_day)
    SELECT ${HORIZON}, ${HORIZON}, (COALESCE((SELECT min(clicked_at) FROM click_events), now()) AT TIME ZONE 'UTC')::date
    ON CONFLICT DO NOTHING
    RETURNING started_xid, since_day
  )
  INSERT INTO clickhouse_day_copies (day, workspace_id, before_xid)
  SELECT day::date, '${ALL_WORKSPACES}', started_xid
  FROM started, generate_series(since_day::timestamp, (now() AT TIME ZONE 'UTC')::date::timestamp, '1 day') AS day
  ON CONFLICT DO NOTHING`;

const STATE = `
  SELECT next_xid::float8 AS next, planned_xid::float8 AS planned, span::float8 AS span,
    extract(epoch FROM planned_since)::float8 AS since, ${HORIZON}::float8 AS horizon
  FROM clickhouse_copy`;

const COUNT = `
  SELECT count(*)::int AS clicks FROM (
    SELECT FROM click_events
    WHERE inserted_xid >= $1::bigint AND inserted_xid < $2::bigint AND clicked_at > now() - ${COPIED_FOR}
    LIMIT ${MAX_RANGE_CLICKS + 1}
  ) AS waiting`;

const PLAN = `
  UPDATE clickhouse_copy SET planned_xid = $2::bigint, planned_since = now() - ${COPIED_FOR}, span = $3::bigint
  WHERE next_xid = $1::bigint AND planned_xid IS NULL`;

const READ = selectSlice(
  `
    SELECT * FROM click_events
    WHERE inserted_xid >= $3::bigint AND inserted_xid < $2::bigint AND clicked_at > to_timestamp($1::float8)
      AND workspace_id IS NOT NULL AND (inserted_xid, event_id) > ($3::bigint, $4::uuid)
    ORDER BY inserted_xid, event_id LIMIT ${SLICE_ROWS}`,
  "inserted_xid",
);

const SETTLE = `
  UPDATE clickhouse_copy SET next_xid = planned_xid, planned_xid = NULL, planned_since = NULL
  WHERE next_xid = $1::bigint AND planned_xid = $2::bigint`;

const CAUGHT_UP = "UPDATE clickhouse_copy SET caught_up_at = now() WHERE next_xid = $1::bigint";

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
  const { planned, next, since, horizon } = (await readState(deps)) ?? before;
  if (planned === null) {
    // Another copier was faster.
    return next < horizon;
  }
  await copyRange({ from: next, to: planned, since }, deps);
  if (planned < before.horizon) {
    return true;
  }
  await deps.runSql(CAUGHT_UP, [planned], deps.timeoutMs);
  return false;
}

async function copyRange(
  { from, to, since }: { readonly from: number; readonly to: number; readonly since: number },
  deps: CopyDeps,
): Promise<void> {
  const { runSql, clickHouse, timeoutMs } = deps;
  const read = (position: string, event: string) =>
    readSlice(runSql, READ, [since, to, position, event], timeoutMs);
  let position = { position: String(from), eventId: NO_EVENT };
  for (let slice = await read(position.position, position.eventId); slice.end !== null;) {
    const token = `new/${SLICE_ROWS}/${to}/${position.position}/${position.eventId}`;
    position = slice.end;
    const isLast = slice.clicks < SLICE_ROWS;
    // The next slice is read while this one is inserted.
    const [next] = await Promise.all([
      isLast ? null : read(position.position, position.eventId),
      insertSlice(clickHouse, slice, token, timeoutMs),
    ]);
    if (next === null) {
      break;
    }
    slice = next;
  }
  await runSql(SETTLE, [from, to], timeoutMs);
}

/** Decides where the next range ends. Resolves to whether there is one. */
async function planRange({ next, horizon, span: planned }: State, deps: CopyDeps): Promise<boolean> {
  const { runSql, timeoutMs } = deps;
  let span = planned;
  for (let tries = 1; next < horizon; tries += 1) {
    const end = Math.min(next + span, horizon);
    const [row] = await runSql(COUNT, [next, end], timeoutMs);
    const clicks = Number(row?.["clicks"]);
    const isTooWide = clicks > MAX_RANGE_CLICKS && end - next > 1;
    const isTooNarrow = clicks < RANGE_CLICKS / 2 && end < horizon;
    if (tries === MAX_TRIES || !(isTooWide || isTooNarrow)) {
      await runSql(PLAN, [next, end, span], timeoutMs);
      return true;
    }
    const factor = Math.min(MAX_GROWTH, Math.max(1 / MAX_GROWTH, RANGE_CLICKS / Math.max(1, clicks)));
    span = Math.max(1, isTooWide ? Math.floor((end - next) / 2) : Math.ceil(span * Math.max(2, factor)));
  }
  await runSql(CAUGHT_UP, [next], timeoutMs);
  return false;
}

async function start(deps: CopyDeps): Promise<State> {
  await deps.runSql(START, [], deps.timeoutMs);
  const state = await readState(deps);
  if (state === null) {
    throw new Error("invariant: starting makes the row of clickhouse_copy");
  }
  return state;
}

async function readState({ runSql, timeoutMs }: CopyDeps): Promise<State | null> {
  const [row] = await runSql(STATE, [], timeoutMs);
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
