/** The values of single clicks in Postgres, where a column of `click_events` is not the whole value. */
import { ownDestination } from "@hopline/db/links/own-destination";
import { type Sql, sql } from "@hopline/db/sql";
import { PLACES } from "./dimension.ts";

/** In place of `click_events`, for `DESTINATION`; nothing is looked up by statements that leave that out. */
export const CLICKS: Sql = sql`(
    SELECT *, ${ownDestination("click_events")} AS own_destination FROM click_events
  ) AS click_events`;

export const DESTINATION: Sql = sql`COALESCE(NULLIF(destination, ''), own_destination)`;

const VALUES = new Map([
  ["destination", DESTINATION],
  ...Object.entries(PLACES).map(([column, { value }]) => [column, value<Sql>(sql)] as const),
]);

/** Over `CLICKS`: the value that the cube and analytics have for a column of `click_events`. */
export function valueOfEvent(column: string): Sql {
  return VALUES.get(column) ?? sql.identifier(column);
}
