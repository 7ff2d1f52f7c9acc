/** What is counted of a tag's clicks on a day, and how its rows are built, whichever job makes the day. */
import { quarterOf } from "./quarter-of.ts";
import { ROLLED_DIMENSIONS } from "./rolled-dimensions.ts";

const COLUMNS = ["link_id", ...ROLLED_DIMENSIONS];

export const TAG_MEMBERS: readonly string[] = ["quarter", ...COLUMNS];

const DIMENSION_OF_SET = TAG_MEMBERS.map((member) => `WHEN GROUPING(${member}) = 0 THEN '${member}'`).join(
  " ",
);

/** SELECT list that makes the counted values from `click_events`. `start`: the beginning of the click's day, a timestamptz. */
export function toTagMembers(start: string): string {
  const columns = COLUMNS.map((column) => `COALESCE(${column}::text, '') COLLATE "C" AS ${column}`);
  return [`${quarterOf(start)}::text AS quarter`, ...columns].join(", ");
}

export type TagFold = {
  /** The column of `event` that differs between the rows; the other one is the same for all. */
  readonly by: "tag" | "period_start";
  readonly tag: string;
  readonly start: string;
};

/** INSERT that counts the rows of `event` (tag or period_start, class, domain_id, and members), the last of `tables`. */
export function insertFolded(tables: string, { by, tag, start }: TagFold): string {
  const sets = TAG_MEMBERS.map((member) => `(${by}, class, domain_id, ${member})`).join(", ");
  return `
  INSERT INTO tag_summaries
    (workspace_id, tag, dimension, period_start, class, domain_id, member_values, member_clicks)
  WITH ${tables}
  SELECT $1::uuid, ${tag}, dimension, ${start}, class, domain_id, array_agg(value), array_agg(clicks)
  FROM (
    SELECT ${by}, CASE ${DIMENSION_OF_SET} END AS dimension, class, domain_id,
      COALESCE(${TAG_MEMBERS.join(", ")}) AS value, count(*)::integer AS clicks
    FROM event GROUP BY GROUPING SETS (${sets})
  ) AS members
  GROUP BY ${by}, dimension, class, domain_id`;
}
