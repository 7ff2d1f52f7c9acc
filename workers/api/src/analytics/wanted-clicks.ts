/** Clicks of selected links by link, domain and class only: from the rollups of links. */
import { type SQL, sql } from "drizzle-orm";
import { eventColumn, toConditions } from "./conditions.ts";
import { isAboutLinks, type WantedLinks } from "./link-set.ts";
import { valueOf } from "./select-events.ts";
import type { Question } from "./question.ts";
import type { Needs } from "./source.ts";
import type { StatementTables } from "./statement-tables.ts";

/** SELECTs of (at, clicks, value, visitor), exact to the quarter of an hour. */
export function selectWantedClicks(
  { workspaceId, filters }: Question,
  { needs, links: { wanted, usable } }: { readonly needs: Needs; readonly links: WantedLinks },
  tables: StatementTables,
): SQL {
  const value = valueOf(needs, eventColumn);
  const others = toConditions(
    workspaceId,
    filters.filter((filter) => !isAboutLinks(filter)),
    eventColumn,
  );
  const where = (...conditions: readonly SQL[]) => sql.join([...conditions, ...others], sql` AND `);
  const isOfLink = sql`workspace_id = ${workspaceId}::uuid AND link_id = part.of_link`;
  const countedAhead = tables.add(
    "counted_ahead",
    sql`SELECT COALESCE(range_agg(tstzrange(period_start, period_end)), '{}') AS spans FROM ${usable}`,
  );
  return sql`SELECT at, sign * part_clicks::bigint AS clicks, value, NULL::uuid AS visitor FROM (
        SELECT span, sign, period_start + unnest(quarters) * interval '15 minutes' AS at,
          unnest(quarter_clicks) AS part_clicks, value
        FROM (
          SELECT link_id AS of_link, sign, counted_ahead.spans AS usable_spans, unnest(wanted.spans * counted_ahead.spans) AS span
          FROM ${wanted} AS wanted CROSS JOIN ${countedAhead} AS counted_ahead
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
        FROM ${wanted} AS wanted CROSS JOIN ${countedAhead} AS counted_ahead
      ) AS part
      CROSS JOIN LATERAL (
        SELECT bucket_start AS at, clicks, ${value} AS value FROM click_rollups
        WHERE ${where(isOfLink, sql`bucket_start >= lower(span) AND bucket_start < upper(span)`)} OFFSET 0
      ) AS bucket`;
}
