/** The values of single clicks in Postgres, where a column of `click_events` is not the whole value. */
import { ownDestination } from "@hopline/db/links/own-destination";
import { PLACES } from "./dimension.ts";

/** In place of `click_events`, for `DESTINATION`; nothing is looked up by statements that leave that out. */
export const CLICKS = `(
    SELECT *, ${ownDestination("click_events")} AS own_destination FROM click_events
  ) AS click_events`;

export const DESTINATION = "COALESCE(NULLIF(destination, ''), own_destination)";

const VALUES = new Map([
  ["destination", DESTINATION],
  ...Object.entries(PLACES).map(([column, { value }]) => [column, value] as const),
]);

/** SQL over `CLICKS`: the value that the cube and analytics have for a column of `click_events`. */
export function valueOfEvent(column: string): string {
  return VALUES.get(column) ?? column;
}
