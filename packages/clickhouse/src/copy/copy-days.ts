/**
 * Copies whole UTC days: every day of the time before copying began, and days of a workspace that turned out wrong. Those are
 * removed from ClickHouse first. The newest day first.
 */
import type { SqlRow } from "@hopline/db/neon-client";
import { removeClicks } from "../remove-clicks.ts";
import { insertSlice, readSlice, selectSlice, SLICE_ROWS } from "./click-slice.ts";
import type { CopyDeps } from "./copy-new-clicks.ts";

const ALL_WORKSPACES = "00000000-0000-0000-0000-000000000000";
const NO_EVENT = "00000000-0000-0000-0000-000000000000";

const NEXT = `
  SELECT day::text AS day, workspace_id::text AS workspace, attempt::text AS attempt, before_xid::float8 AS "beforeXid",
    extract(epoch FROM day::timestamp AT TIME ZONE 'UTC')::float8 * 1000 AS "startMs",
    extract(epoch FROM reached_at)::text AS position, reached_event::text AS event
  FROM clickhouse_day_copies AS copies ORDER BY copies.day DESC, workspace_id LIMIT 1`;

/** Only what Postgres still holds whole may be removed from ClickHouse. */
const IS_WHOLE = `
  SELECT (SELECT count(*) FROM click_events
      WHERE workspace_id = $1::uuid AND clicked_at >= to_timestamp($2::float8 / 1000) AND clicked_at < to_timestamp($3::float8 / 1000))
    = (SELECT COALESCE(sum(clicks), 0) FROM workspace_rollups
      WHERE workspace_id = $1::uuid AND bucket_start >= to_timestamp($2::float8 / 1000) AND bucket_start < to_timestamp($3::float8 / 1000))
    AS "isWhole"`;

const SAVE = `
  UPDATE clickhouse_day_copies SET reached_at = to_timestamp($4::numeric), reached_event = $5::uuid
  WHERE day = $1::date AND workspace_id = $2::uuid AND attempt = $3::uuid`;

const DROP = `
  DELETE FROM clickhouse_day_copies WHERE day = $1::date AND workspace_id = $2::uuid AND attempt = $3::uuid`;

/** Its days are compared next. */
const FINISH = `
  WITH finished AS (${DROP} RETURNING day)
  UPDATE clickhouse_days AS kept SET due_at = LEAST(kept.due_at, now())
  FROM finished WHERE kept.day = finished.day AND sealed_clicks IS NULL AND finished.day < (now() AT TIME ZONE 'UTC')::date
    AND ($2::uuid = '${ALL_WORKSPACES}' OR kept.workspace_id = $2::uuid)`;

const toRead = (ofWorkspace: string) =>
  selectSlice(
    `
    SELECT * FROM click_events
    WHERE ${ofWorkspace} AND clicked_at >= to_timestamp($1::numeric) AND clicked_at < to_timestamp($2::float8 / 1000)
      AND (clicked_at, event_id) > (to_timestamp($1::numeric), $3::uuid)
      AND (inserted_xid IS NULL OR inserted_xid < $4::bigint)
    ORDER BY clicked_at, event_id LIMIT ${SLICE_ROWS}`,
    "extract(epoch FROM clicked_at)",
  );
const READ_ALL = toRead("workspace_id IS NOT NULL");
const READ_WORKSPACE = toRead("workspace_id = $5::uuid");

const DAY_MS = 86_400_000;

type DayCopy = {
  readonly day: string;
  readonly startMs: number;
  readonly workspace: string;
  readonly attempt: string;
  readonly beforeXid: number;
  /** Epoch seconds as Postgres writes them, and an event; `null`: not begun. */
  readonly position: string | null;
  readonly event: string;
};

/** Copies a slice of a day. Resolves to whether there was one. Rejects as `RunSql` and `ClickHouse` do. */
export async function copyDays(deps: CopyDeps): Promise<boolean> {
  const { runSql, clickHouse, timeoutMs } = deps;
  const [row] = await runSql(NEXT, [], timeoutMs);
  if (row === undefined) {
    return false;
  }
  const copy = toDayCopy(row);
  if (copy.position === null && copy.workspace !== ALL_WORKSPACES && !(await emptyDay(copy, deps))) {
    return true;
  }
  const position = copy.position ?? String(copy.startMs / 1000);
  const isOfAll = copy.workspace === ALL_WORKSPACES;
  const slice = await readSlice(
    runSql,
    isOfAll ? READ_ALL : READ_WORKSPACE,
    [position, copy.startMs + DAY_MS, copy.event, copy.beforeXid, ...(isOfAll ? [] : [copy.workspace])],
    timeoutMs,
  );
  if (slice.end !== null) {
    const token = `day/${SLICE_ROWS}/${copy.day}/${copy.attempt}/${position}/${copy.event}`;
    await insertSlice(clickHouse, slice, token, timeoutMs);
    await runSql(SAVE, [...keyOf(copy), slice.end.position, slice.end.eventId], timeoutMs);
  }
  if (slice.clicks < SLICE_ROWS) {
    await runSql(FINISH, keyOf(copy), timeoutMs);
  }
  return true;
}

/** Removes the workspace's day from ClickHouse, unless Postgres could not fill it again. */
async function emptyDay(copy: DayCopy, deps: CopyDeps): Promise<boolean> {
  const { runSql, clickHouse, timeoutMs } = deps;
  const [fromMs, toMs] = [copy.startMs, copy.startMs + DAY_MS];
  const [row] = await runSql(IS_WHOLE, [copy.workspace, fromMs, toMs], timeoutMs);
  if (row?.["isWhole"] !== true) {
    await runSql(DROP, keyOf(copy), timeoutMs);
    return false;
  }
  await removeClicks(clickHouse, { workspaceId: copy.workspace, fromMs, toMs }, timeoutMs);
  await runSql(SAVE, [...keyOf(copy), String(copy.startMs / 1000), NO_EVENT], timeoutMs);
  return true;
}

function keyOf({ day, workspace, attempt }: DayCopy): readonly string[] {
  return [day, workspace, attempt];
}

function toDayCopy(row: SqlRow): DayCopy {
  const { day, startMs, workspace, attempt, beforeXid, position, event } = row;
  return {
    day: String(day),
    startMs: Number(startMs),
    workspace: String(workspace),
    attempt: String(attempt),
    beforeXid: Number(beforeXid),
    position: typeof position === "string" ? position : null,
    event: typeof event === "string" ? event : NO_EVENT,
  };
}
