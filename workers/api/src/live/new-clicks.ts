/**
 * The clicks that have become visible since a cursor, in an order that never changes: by writing transaction, then by event id.
 * Only clicks below the horizon, the oldest transaction still in progress, are read: nothing can be added below it, however
 * late a commit comes. So a cursor never skips a click.
 */
import { sql } from "@hopline/db/sql";
import type { ListedClick } from "@hopline/analytics/engine";
import { CLICKS } from "@hopline/analytics/event-values";
import { clickColumns, toListedClick } from "@hopline/analytics/postgres/clicks";
import { eventColumn, toConditions } from "@hopline/analytics/postgres/conditions";
import type { Statement } from "@hopline/analytics/postgres/snapshot";
import type { Filter } from "@hopline/analytics/dimension";
import type { LiveCursor } from "./live-cursor.ts";
import { type Caller, isStillAllowed } from "../still-allowed.ts";

/**
 * A click that reaches the database later than this is in every count and list, but not in the stream. Keeps the statement off
 * older chunks.
 */
const STREAMED_FOR = sql`interval '1 day'`;

/** Of the snapshot that the whole transaction reads, so it is the same in all its statements. */
const HORIZON = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;

export type NewClick = ListedClick & { readonly xid: string };

export type Position = {
  /** Decimal digits. */
  readonly horizon: string;
  readonly isAllowed: boolean;
};

/** Where the stream may go to, and whether its caller still may. */
export function readPosition(caller: Caller): Statement<Position> {
  return {
    query: sql`SELECT ${HORIZON}::text AS horizon, ${isStillAllowed(caller, "analytics:read")} AS is_allowed`,
    read: ([row]) => ({ horizon: String(row?.["horizon"]), isAllowed: row?.["is_allowed"] === true }),
  };
}

export type NewClicksQuestion = {
  readonly workspaceId: string;
  readonly filters: readonly Filter[];
  readonly after: LiveCursor;
  readonly limit: number;
};

export function listNewClicks(question: NewClicksQuestion): Statement<readonly NewClick[]> {
  const { workspaceId, filters, after, limit } = question;
  const conditions = [
    sql`workspace_id = ${workspaceId}::uuid`,
    sql`clicked_at > now() - ${STREAMED_FOR}`,
    sql`inserted_xid >= ${after.xid}::bigint AND inserted_xid < ${HORIZON}`,
    sql`(inserted_xid, event_id) > (${after.xid}::bigint, ${after.eventId}::uuid)`,
    ...toConditions(workspaceId, filters, eventColumn),
  ];
  return {
    query: sql`SELECT inserted_xid::text AS xid, ${clickColumns()}
      FROM ${CLICKS} WHERE ${sql.join(conditions, sql` AND `)}
      ORDER BY inserted_xid, event_id LIMIT ${limit}`,
    read: (rows) => rows.map((row) => ({ ...toListedClick(row), xid: String(row["xid"]) })),
  };
}
