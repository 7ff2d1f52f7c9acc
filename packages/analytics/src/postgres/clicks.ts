/** Single clicks, newest first, page by page. */
import { type SQL, sql } from "drizzle-orm";
import { eventColumn, toConditions } from "./conditions.ts";
import { columnOf, type Dimension, DIMENSIONS } from "../dimension.ts";
import type { ClicksPart, ListedClick } from "../engine.ts";
import { CLICKS, DESTINATION } from "../event-values.ts";
import { toTimestamp } from "./instant.ts";
import type { Row, Statement } from "./snapshot.ts";

/** Dimensions of which a click has one value: all but tags. */
export const CLICK_DIMENSIONS = DIMENSIONS.filter(
  (dimension): dimension is Exclude<Dimension, "tag"> => dimension !== "tag",
);

export function listClicks({ question, after, limit }: ClicksPart): Statement<readonly ListedClick[]> {
  const conditions = [
    sql`workspace_id = ${question.workspaceId}::uuid`,
    sql`clicked_at >= ${toTimestamp(question.range.fromMs)} AND clicked_at < ${toTimestamp(question.range.toMs)}`,
    ...toConditions(question.workspaceId, question.filters, eventColumn),
    ...(after === null ? [] : [isAfter(after)]),
  ];
  return {
    query: sql`SELECT ${clickColumns()}
      FROM ${sql.raw(CLICKS)} WHERE ${sql.join(conditions, sql` AND `)}
      ORDER BY clicked_at DESC, event_id DESC LIMIT ${limit}`,
    read: (rows) => rows.map(toListedClick),
  };
}

/** The columns that `toListedClick` needs in a SELECT from `CLICKS`. Of a place only its own name: the others are beside it. */
export function clickColumns(): SQL {
  const columns = CLICK_DIMENSIONS.map(
    (dimension) =>
      sql`NULLIF(${sql.raw(dimension === "destination" ? DESTINATION : columnOf(dimension))}::text, '') AS ${sql.identifier(dimension)}`,
  );
  return sql`event_id::text AS event_id, (extract(epoch FROM clicked_at) * 1000000)::bigint::text AS at_us,
        ${sql.join(columns, sql`, `)}`;
}

export function toListedClick(row: Row): ListedClick {
  return {
    eventId: String(row["event_id"]),
    atUs: String(row["at_us"]),
    values: new Map(CLICK_DIMENSIONS.map((dimension) => [dimension, toText(row[dimension])])),
  };
}

function isAfter({ atUs, eventId }: { readonly atUs: string; readonly eventId: string }): SQL {
  const at = sql`timestamptz 'epoch' + ${/^\d{1,16}$/.test(atUs) ? atUs : "0"}::bigint * interval '1 microsecond'`;
  return sql`(clicked_at, event_id) < (${at}, ${eventId}::uuid)`;
}

function toText(cell: unknown): string | null {
  return typeof cell === "string" ? cell : null;
}
