/**
 * Copies whole UTC days: every day of the time before copying began, and days of a workspace that turned out wrong. Those are
 * removed from ClickHouse first. The newest day first.
 */
import type { SqlRow } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import { removeDays } from "../remove-clicks.ts";
import { insertSlice, readSlice, selectSlice, type Slice, SLICE_ROWS } from "./click-slice.ts";
import type { CopyDeps } from "./copy-new-clicks.ts";

const ALL_WORKSPACES = "00000000-0000-0000-0000-000000000000";
const NO_EVENT = "00000000-0000-0000-0000-000000000000";

const NEXT = sql`
  SELECT day::text AS day, workspace_id::text AS workspace, attempt::text AS attempt, before_xid::float8 AS "beforeXid",
    extract(epoch FROM day::timestamp AT TIME ZONE 'UTC')::float8 * 1000 AS "startMs",
    extract(epoch FROM reached_at)::text AS position, reached_event::text AS event
  FROM clickhouse_day_copies AS copies ORDER BY copies.day DESC, workspace_id LIMIT 1`;

/** Days of workspaces that are emptied before they are copied again: all in one statement, each of which rewrites parts of the table. */
const REMOVED_AT_ONCE = 100;

/** Only what Postgres still holds whole may be removed from ClickHouse. */
const TO_EMPTY = sql`
  SELECT copies.day::text AS day, workspace_id::text AS "workspaceId", attempt::text AS attempt,
    (SELECT count(*) FROM click_events AS event WHERE event.workspace_id = copies.workspace_id
      AND clicked_at >= copies.day::timestamp AT TIME ZONE 'UTC' AND clicked_at < (copies.day + 1)::timestamp AT TIME ZONE 'UTC')
    = (SELECT COALESCE(sum(clicks), 0) FROM workspace_rollups AS rollup WHERE rollup.workspace_id = copies.workspace_id
      AND bucket_start >= copies.day::timestamp AT TIME ZONE 'UTC' AND bucket_start < (copies.day + 1)::timestamp AT TIME ZONE 'UTC')
    AS "isWhole"
  FROM clickhouse_day_copies AS copies WHERE reached_at IS NULL AND workspace_id <> ${ALL_WORKSPACES}::uuid
  ORDER BY copies.day DESC, workspace_id LIMIT ${REMOVED_AT_ONCE}`;

const noteEmptied = (attempts: readonly string[]) => sql`
  UPDATE clickhouse_day_copies SET reached_at = day::timestamp AT TIME ZONE 'UTC', reached_event = ${NO_EVENT}::uuid
  WHERE attempt = ANY (${attempts}::uuid[])`;

const drop = (attempts: readonly string[]) => sql`
  DELETE FROM clickhouse_day_copies WHERE attempt = ANY (${attempts}::uuid[])`;

const save = (attempt: string, { position, eventId }: NonNullable<Slice["end"]>) => sql`
  UPDATE clickhouse_day_copies SET reached_at = to_timestamp(${position}::numeric), reached_event = ${eventId}::uuid
  WHERE attempt = ${attempt}::uuid`;

/** Its days are compared next. */
const finish = (attempt: string) => sql`
  WITH finished AS (${drop([attempt])} RETURNING day, workspace_id)
  UPDATE clickhouse_days AS kept SET due_at = LEAST(kept.due_at, now())
  FROM finished WHERE kept.day = finished.day AND sealed_clicks IS NULL AND finished.day < (now() AT TIME ZONE 'UTC')::date
    AND finished.workspace_id IN (kept.workspace_id, ${ALL_WORKSPACES}::uuid)`;

function selectFrom({ position, startMs, event, beforeXid }: Begun, ofWorkspace: Sql): Sql {
  const from = sql`to_timestamp(${position}::numeric)`;
  return selectSlice(
    sql`
    SELECT * FROM click_events
    WHERE ${ofWorkspace} AND clicked_at >= ${from} AND clicked_at < to_timestamp(${startMs + DAY_MS}::float8 / 1000)
      AND (clicked_at, event_id) > (${from}, ${event}::uuid)
      AND (inserted_xid IS NULL OR inserted_xid < ${beforeXid}::bigint)
    ORDER BY clicked_at, event_id LIMIT ${SLICE_ROWS}`,
    sql`extract(epoch FROM clicked_at)`,
  );
}

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

type Begun = DayCopy & { readonly position: string };

/** Copies a slice of a day. Resolves to whether there was one. Rejects as `RunSql` and `ClickHouse` do. */
export async function copyDays(deps: CopyDeps): Promise<boolean> {
  const { runSql, clickHouse, timeoutMs } = deps;
  const [row] = await runSql(NEXT, timeoutMs);
  if (row === undefined) {
    return false;
  }
  const copy = toDayCopy(row);
  const isOfAll = copy.workspace === ALL_WORKSPACES;
  if (copy.position === null && !isOfAll) {
    await emptyDays(deps);
    return true;
  }
  const position = copy.position ?? String(copy.startMs / 1000);
  const ofWorkspace = isOfAll ? sql`workspace_id IS NOT NULL` : sql`workspace_id = ${copy.workspace}::uuid`;
  const slice = await readSlice(runSql, selectFrom({ ...copy, position }, ofWorkspace), timeoutMs);
  if (slice.end !== null) {
    const token = `day/${SLICE_ROWS}/${copy.day}/${copy.attempt}/${position}/${copy.event}`;
    await insertSlice(clickHouse, slice, token, timeoutMs);
    await runSql(save(copy.attempt, slice.end), timeoutMs);
  }
  if (slice.clicks < SLICE_ROWS) {
    await runSql(finish(copy.attempt), timeoutMs);
  }
  return true;
}

/** Removes days of workspaces from ClickHouse, but for those that Postgres could not fill again: these stay as they are. */
async function emptyDays({ runSql, clickHouse, timeoutMs }: CopyDeps): Promise<void> {
  const days = (await runSql(TO_EMPTY, timeoutMs)).map((row) => ({
    workspaceId: String(row["workspaceId"]),
    day: String(row["day"]),
    attempt: String(row["attempt"]),
    isWhole: row["isWhole"] === true,
  }));
  const attemptsOf = (list: typeof days) => list.map(({ attempt }) => attempt);
  const whole = days.filter(({ isWhole }) => isWhole);
  await runSql(drop(attemptsOf(days.filter(({ isWhole }) => !isWhole))), timeoutMs);
  if (whole.length > 0) {
    await removeDays(clickHouse, whole, timeoutMs);
    await runSql(noteEmptied(attemptsOf(whole)), timeoutMs);
  }
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
