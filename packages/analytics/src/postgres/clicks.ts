/** Single clicks, newest first, page by page. */
import type { SqlRow } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import { CLICK_DIMENSIONS, columnOf } from "../dimension.ts";
import type { ClicksPart, ListedClick } from "../engine.ts";
import { CLICKS, DESTINATION } from "../event-values.ts";
import { eventColumn, toConditions } from "./conditions.ts";
import { toMultirange, toTimestamp } from "../instant.ts";
import { isComplete, toCompleteness } from "./completeness.ts";
import type { Planned } from "./snapshot.ts";

export function listClicks({ question, after, limit }: ClicksPart): Planned {
  const { workspaceId, range, filters } = question;
  const conditions = [
    sql`workspace_id = ${workspaceId}::uuid`,
    sql`clicked_at >= ${toTimestamp(range.fromMs)} AND clicked_at < ${toTimestamp(range.toMs)}`,
    ...toConditions(workspaceId, filters, eventColumn),
    ...(after === null ? [] : [isAfter(after)]),
  ];
  // It needs the clicks themselves, of the whole range on every page.
  const spans = [toMultirange([range])];
  return {
    isPage: true,
    query: sql`WITH about AS MATERIALIZED (SELECT ${isComplete(workspaceId, spans)} AS is_kept)
      SELECT listed.*, is_kept FROM about LEFT JOIN (
        SELECT ${clickColumns()}, clicked_at AS at, event_id AS id
        FROM ${CLICKS} WHERE ${sql.join(conditions, sql` AND `)} ORDER BY clicked_at DESC, event_id DESC LIMIT ${limit}
      ) AS listed ON true ORDER BY at DESC, id DESC`,
    read: (rows) => [
      {
        clicks: rows.filter((row) => row["event_id"] !== null).map(toListedClick),
        ...toCompleteness([rows[0]?.["is_kept"], null]),
      },
    ],
  };
}

/** The columns that `toListedClick` needs in a SELECT from `CLICKS`. Of a place only its own name: the others are beside it. */
export function clickColumns(): Sql {
  const columns = CLICK_DIMENSIONS.map((dimension) => {
    const value = dimension === "destination" ? DESTINATION : sql.identifier(columnOf(dimension));
    return sql`NULLIF(${value}::text, '') AS ${sql.identifier(dimension)}`;
  });
  return sql`event_id::text AS event_id, (extract(epoch FROM clicked_at) * 1000000)::bigint::text AS at_us,
        ${sql.join(columns, sql`, `)}`;
}

export function toListedClick(row: SqlRow): ListedClick {
  const toText = (cell: unknown) => (typeof cell === "string" ? cell : null);
  return {
    eventId: String(row["event_id"]),
    atUs: String(row["at_us"]),
    values: new Map(CLICK_DIMENSIONS.map((dimension) => [dimension, toText(row[dimension])])),
  };
}

function isAfter({ atUs, eventId }: { readonly atUs: string; readonly eventId: string }): Sql {
  const at = sql`timestamptz 'epoch' + ${/^\d{1,16}$/.test(atUs) ? atUs : "0"}::bigint * interval '1 microsecond'`;
  return sql`(clicked_at, event_id) < (${at}, ${eventId}::uuid)`;
}
