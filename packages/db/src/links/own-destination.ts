import { MAX_CLICK_DESTINATION_LENGTH } from "@hopline/core/click/click-detail";
import { type Sql, sql } from "../sql.ts";

/**
 * Where the link led in the version that a click was on, for clicks that were sent nowhere else. Cut like the destinations
 * that clicks bring along. NULL for versions from before `link_versions` was there.
 *
 * @param click a table with `link_id` and `link_version`.
 */
export function ownDestination(click: string): Sql {
  const name = sql.identifier(click);
  return sql`(SELECT left(kept.destination, ${MAX_CLICK_DESTINATION_LENGTH}::integer) FROM link_versions AS kept
    WHERE kept.link_id = ${name}.link_id AND kept.version = ${name}.link_version)`;
}
