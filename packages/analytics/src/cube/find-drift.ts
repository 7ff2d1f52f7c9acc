/**
 * How far the days of the cube that analytics would use are from the clicks they were made of: each number of each cell, and the
 * visitors.
 */
import type { RunSql } from "@hopline/db/neon-client";
import { CLICKS, valueOfEvent } from "../event-values.ts";
import { CUBE_COLUMNS, CUBE_SCOPES, QUARTER, TAG } from "./cube-columns.ts";
import { QUARTER_OF_CLICK } from "./insert-cells.ts";
import { VISITOR_SCOPES } from "./insert-visitors.ts";

/** Epoch milliseconds. */
export type DriftRange = { readonly sinceMs: number; readonly untilMs: number };

/** Summed over every number in the range, of days whose clicks are all kept. As slow as counting everything again. Rejects as `RunSql` does. */
export async function findDrift(
  runSql: RunSql,
  { sinceMs, untilMs }: DriftRange,
  timeoutMs: number,
): Promise<number> {
  let drift = 0;
  for (const statement of [
    ...CUBE_SCOPES.map(cellDrift),
    cellDrift(TAG),
    ...VISITOR_SCOPES.map(visitorDrift),
  ]) {
    const [row] = await runSql(statement, [sinceMs, untilMs], timeoutMs);
    drift += Number(row?.["drift"] ?? 0);
  }
  return drift;
}

const USED = `
  WITH used AS MATERIALIZED (
    SELECT workspace_id, day FROM (
      SELECT workspace_id, day, sum(clicks) AS clicks FROM cube_days
      WHERE day >= to_timestamp($1::float8 / 1000.0)
        AND day + interval '24 hours' <= to_timestamp($2::float8 / 1000.0)
      GROUP BY 1, 2
    ) AS made
    WHERE clicks = (SELECT sum(clicks) FROM workspace_rollups AS rollup WHERE rollup.workspace_id = made.workspace_id
        AND bucket_start >= day AND bucket_start < day + interval '24 hours')
      AND NOT EXISTS (SELECT FROM event_retention WHERE kept_from > day)
  ), event AS (
    SELECT used.day, click_events.* FROM used JOIN ${CLICKS} ON click_events.workspace_id = used.workspace_id
      AND clicked_at >= day AND clicked_at < day + interval '24 hours'
  )`;

const DRIFT = `
  SELECT COALESCE(sum(abs(COALESCE(counted.clicks, 0) - COALESCE(kept.clicks, 0))), 0)::float8 AS drift
  FROM counted FULL JOIN kept`;

function cellDrift(scope: string): string {
  const columns = CUBE_COLUMNS.filter((column) => column !== scope);
  const ofEvents = columns.map((column) => `('${column}', ${textOf(column)})`);
  const ofCells = columns.map(
    (column) =>
      `('${column}', COALESCE(${column}::text[], '{""}'), COALESCE(${column}_clicks, ARRAY[cell.clicks::integer]))`,
  );
  const key = "workspace_id, day, place, class, domain_id, dimension, value";
  return `${USED}, of_tag AS (
    SELECT workspace_id, day, scope_value AS tag, unnest(link_id) AS link_id
    FROM used JOIN click_cube USING (workspace_id, day) WHERE scope = '${TAG}' GROUP BY 1, 2, 3, 4
  ), counted AS (
    SELECT workspace_id, day, ${scope === TAG ? "tag" : textOf(scope)} AS place, class, domain_id, dimension, COALESCE(value, '') AS value,
      count(*) AS clicks
    FROM event ${scope === TAG ? "JOIN of_tag USING (workspace_id, day, link_id)" : ""}
    CROSS JOIN LATERAL (VALUES ('', ''), ${ofEvents.join(", ")}) AS part (dimension, value)
    GROUP BY ${key}
  ), kept AS (
    SELECT workspace_id, day, scope_value AS place, class, domain_id, dimension, value, sum(number) AS clicks
    FROM used JOIN click_cube AS cell USING (workspace_id, day)
    CROSS JOIN LATERAL (VALUES ('', '{""}'::text[], ARRAY[cell.clicks::integer]), ${ofCells.join(", ")})
      AS part (dimension, members, numbers)
    CROSS JOIN LATERAL unnest(members, numbers) AS one (value, number)
    WHERE scope = '${scope}'
    GROUP BY ${key}
  )${DRIFT} USING (${key})`;
}

function visitorDrift(scope: string): string {
  const key = "workspace_id, day, place, of_humans, edge, quarter";
  return `${USED}, whole AS (
    SELECT workspace_id, day FROM used JOIN cube_visitors USING (workspace_id, day)
    WHERE scope = '' AND NOT of_humans AND day_clicks = (SELECT sum(clicks) FROM cube_days
      WHERE cube_days.workspace_id = used.workspace_id AND cube_days.day = used.day)
  ), seen AS (
    SELECT workspace_id, day, ${textOf(scope)} AS place, of_humans, visitor, min(quarter) AS first, max(quarter) AS last
    FROM (SELECT *, ${QUARTER_OF_CLICK} AS quarter FROM event WHERE visitor IS NOT NULL) AS event
    CROSS JOIN LATERAL (VALUES (false), (class = 'human')) AS kind (of_humans)
    GROUP BY workspace_id, day, place, of_humans, visitor
  ), kept AS (
    SELECT workspace_id, day, scope_value AS place, of_humans, edge, quarter, visitors AS clicks
    FROM used JOIN cube_visitors USING (workspace_id, day)
    CROSS JOIN LATERAL (
      SELECT 'first' AS edge, quarter, visitors FROM unnest(first_quarters, first_visitors) AS part (quarter, visitors)
      UNION ALL
      SELECT 'last', quarter, visitors FROM unnest(last_quarters, last_visitors) AS part (quarter, visitors)
    ) AS edge
    WHERE scope = '${scope}' AND (workspace_id, day) IN (SELECT workspace_id, day FROM whole)
  ), counted AS (
    SELECT workspace_id, day, place, of_humans, edge, quarter, count(*) AS clicks
    FROM seen CROSS JOIN LATERAL (VALUES ('first', first), ('last', last)) AS edge (edge, quarter)
    WHERE (workspace_id, day) IN (SELECT workspace_id, day FROM whole)
    GROUP BY ${key}
  )${DRIFT} USING (${key})`;
}

function textOf(column: string): string {
  return column === ""
    ? "''"
    : column === QUARTER
      ? `${QUARTER_OF_CLICK}::text`
      : `COALESCE((${valueOfEvent(column)})::text, '')`;
}
