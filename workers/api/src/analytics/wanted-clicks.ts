/** Clicks of `wanted` links, told apart by nothing but the link, its domain and the class: from what is kept of each link. */
import { type SQL, sql } from "drizzle-orm";
import { eventColumn, toConditions } from "./conditions.ts";
import { isAboutLinks, type RowsOf } from "./link-set.ts";
import { valueOf } from "./select-events.ts";
import type { Needs } from "./source.ts";
import type { TagPiece } from "./tag-hits.ts";

/** Rows (at, clicks, value, visitor) exact to the quarter of an hour, of `wanted` and `usable`, which a WITH has before. */
export function selectWantedClicks({ question }: TagPiece, needs: Needs): RowsOf {
  const { workspaceId, filters } = question;
  const value = valueOf(needs.dimension, eventColumn);
  const others = toConditions(
    workspaceId,
    filters.filter((filter) => !isAboutLinks(filter)),
    eventColumn,
  );
  const where = (...conditions: readonly SQL[]) => sql.join([...conditions, ...others], sql` AND `);
  const isOfLink = sql`workspace_id = ${workspaceId}::uuid AND link_id = part.of_link`;
  return {
    tables: sql`counted_ahead AS MATERIALIZED (
      SELECT COALESCE(range_agg(tstzrange(period_start, period_end)), '{}') AS spans FROM usable
    )`,
    rows: sql`SELECT at, sign * part_clicks::bigint AS clicks, value, NULL::uuid AS visitor FROM (
        SELECT span, sign, period_start + unnest(quarters) * interval '15 minutes' AS at,
          unnest(quarter_clicks) AS part_clicks, value
        FROM (
          SELECT link_id AS of_link, sign, counted_ahead.spans AS usable_spans, unnest(wanted.spans * counted_ahead.spans) AS span
          FROM wanted CROSS JOIN counted_ahead
        ) AS part
        CROSS JOIN LATERAL (
          SELECT period_start, quarters, quarter_clicks, ${value} AS value FROM link_summaries
          WHERE ${where(
            isOfLink,
            sql`period_start > lower(span) - interval '1 day' AND period_start < upper(span)
              AND period_start <@ usable_spans`,
          )} OFFSET 0
        ) AS day
      ) AS quarter WHERE at <@ span
      UNION ALL
      SELECT at, sign * clicks, value, NULL FROM (
        SELECT link_id AS of_link, sign, unnest(wanted.spans - counted_ahead.spans) AS span
        FROM wanted CROSS JOIN counted_ahead
      ) AS part
      CROSS JOIN LATERAL (
        SELECT bucket_start AS at, clicks, ${value} AS value FROM click_rollups
        WHERE ${where(isOfLink, sql`bucket_start >= lower(span) AND bucket_start < upper(span)`)} OFFSET 0
      ) AS bucket`,
  };
}
