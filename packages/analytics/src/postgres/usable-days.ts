/**
 * Which days may be read from the cube, as tables of the statement that reads them, so that all of it is of one moment: a day of which
 * nothing is missing, one whose missing clicks are found among the newest, and one that is only complete up to some quarter of an hour,
 * because too many are missing.
 */
import { type Sql, sql } from "@hopline/db/sql";
import { floorToDay } from "../calendar.ts";
import { TAG } from "../cube/cube-columns.ts";
import { DAY_SLICE, SLICE_OF_CELL } from "../cube/cube-session.ts";
import { FIRST_OPEN_SLICE } from "../cube/plan-day.ts";
import type { Dimension } from "../dimension.ts";
import type { Question } from "../engine.ts";
import type { InstantRange } from "../range.ts";
import { toMultirange, toTimestamp } from "../instant.ts";
import { isQuickInRollups, type Needs, specialColumns, tagOf } from "./choose-cells.ts";

type Asked = { readonly question: Question; readonly dimension?: Dimension; readonly visitors?: boolean };

/** Of single clicks that are read for one day; more take too long. */
export const MOST_CLICKS = 300_000;

/**
 * The tables below, for WITH: the days that all of these, of one workspace, may read.
 *
 * @param limit of single clicks of a day. `null`: there is no cube, and no day in it.
 */
export function tablesOfDays(asked: readonly [Asked, ...Asked[]], limit: number | null): Sql {
  const { workspaceId } = asked[0].question;
  const needs = asked.map(({ question: { filters }, dimension }) => ({ filters, dimension }));
  const isRolledUp = asked.every(
    ({ visitors = false }, index) => !visitors && isQuickInRollups(needs[index] ?? { filters: [] }),
  );
  const mostClicks = isRolledUp || limit === null ? 0 : limit;
  const tags = new Set(asked.map(({ question, dimension }) => tagOf({ ...question, dimension })));
  tags.delete(null);
  const [tag = null] = tags.size === 1 ? tags : [];
  const firstMs = Math.min(...asked.map(({ question }) => floorToDay(question.range.fromMs)));
  const lastMs = Math.max(...asked.map(({ question }) => question.range.toMs));
  const isWanted = sql`workspace_id = ${workspaceId}::uuid AND day >= ${toTimestamp(firstMs)} AND day < ${toTimestamp(lastMs)}`;
  return sql`cube_rolled AS MATERIALIZED (
      SELECT date_bin('24 hours', bucket_start, 'epoch') AS day, bucket_start, sum(clicks) AS clicks FROM workspace_rollups
      WHERE workspace_id = ${workspaceId}::uuid AND bucket_start >= ${toTimestamp(firstMs)}
        AND bucket_start < ${toTimestamp(lastMs)}::timestamptz + interval '24 hours' AND ${limit === null ? sql`false` : sql`true`}
      GROUP BY 1, 2
    ), cube_slice AS MATERIALIZED (
      SELECT day, slice, until_xid, clicks, quarter_clicks FROM cube_days WHERE ${isWanted}
    ), cube_sum AS MATERIALIZED (
      SELECT day, sum(clicks) AS clicks FROM click_cube
      WHERE ${isWanted} AND slice = ${DAY_SLICE} AND scope = '' AND scope_value = '' GROUP BY 1
    ), cube_used AS MATERIALIZED (
      SELECT day, CASE WHEN sum(made.clicks) OVER (PARTITION BY day) = cube_sum.clicks THEN ${DAY_SLICE} ELSE slice END AS slice
      FROM cube_slice AS made LEFT JOIN cube_sum USING (day)
    ), cube_day AS MATERIALIZED (
      SELECT day, made.clicks AS made, rolled.clicks AS rolled, seen.clicks AS seen, is_open, is_kept,
        EXISTS (SELECT FROM event_retention WHERE kept_from > day) AS is_removed
      FROM (SELECT day, sum(clicks) AS clicks FROM cube_rolled GROUP BY 1) AS rolled
      LEFT JOIN (
        SELECT day, sum(clicks) AS clicks, min(slice) >= ${FIRST_OPEN_SLICE} AS is_open FROM cube_slice GROUP BY 1
      ) AS made USING (day)
      LEFT JOIN (
        SELECT day, sum(day_clicks) AS clicks, min(slice) >= ${FIRST_OPEN_SLICE} AS is_kept FROM cube_visitors
        WHERE ${isWanted} AND scope = '' AND scope_value = '' AND NOT of_humans GROUP BY 1
      ) AS seen USING (day)
    ), cube_missing AS MATERIALIZED (
      SELECT day, rolled.bucket_start, rolled.clicks - COALESCE(covered.clicks, 0) AS clicks, COALESCE(until_xid, 0) AS from_xid
      FROM cube_day JOIN cube_rolled AS rolled USING (day) LEFT JOIN (
        SELECT day + (slice % 96 + place - 1) * interval '15 minutes' AS bucket_start, sum(one) AS clicks, max(until_xid) AS until_xid
        FROM cube_slice CROSS JOIN LATERAL unnest(quarter_clicks) WITH ORDINALITY AS part (one, place)
        WHERE day IN (SELECT day FROM cube_day WHERE made <> rolled) GROUP BY 1
      ) AS covered USING (bucket_start)
      WHERE made IS DISTINCT FROM cube_day.rolled AND rolled.clicks <> COALESCE(covered.clicks, 0)
    ), cube_lack AS MATERIALIZED (
      SELECT day, sum(clicks) AS missing, min(bucket_start) AS until FROM cube_missing GROUP BY 1
    ), cube_since AS MATERIALIZED (
      SELECT day, event.* FROM cube_lack JOIN cube_day USING (day) JOIN cube_missing USING (day) CROSS JOIN LATERAL (
        SELECT ${columnsOf(needs)} FROM click_events WHERE workspace_id = ${workspaceId}::uuid
          AND clicked_at >= bucket_start AND clicked_at < bucket_start + interval '15 minutes' AND inserted_xid >= from_xid OFFSET 0
      ) AS event WHERE made IS NOT NULL AND missing <= ${mostClicks}
    ), cube_state AS MATERIALIZED (
      SELECT day, until, is_open IS TRUE AS is_open,
        CASE WHEN made = rolled THEN 'whole' WHEN is_found THEN 'since' WHEN is_partial THEN 'partial' END AS state,
        CASE WHEN seen = rolled THEN 'whole' WHEN is_found AND seen + missing = rolled AND is_kept THEN 'since'
          WHEN is_partial OR seen > 0 AND (is_removed OR rolled > ${mostClicks}) THEN 'partial' END AS visitors
      FROM (SELECT *, missing = coalesce(found, 0) AS is_found,
          CASE WHEN is_removed THEN made IS NOT NULL ELSE missing > ${mostClicks} END AS is_partial
        FROM cube_day LEFT JOIN cube_lack USING (day) LEFT JOIN (SELECT day, count(*) AS found FROM cube_since GROUP BY 1) AS since USING (day) OFFSET 0
      ) AS one
    ), cube_tagged AS MATERIALIZED (${tag === null ? sql`SELECT NULL::timestamptz AS day` : selectTagged(tag, workspaceId, isWanted)})`;
}

/** What hits and visitors are read from. */
function columnsOf(needs: readonly Needs[]): Sql {
  const names = new Set([
    "clicked_at",
    "link_id",
    "link_version",
    "domain_id",
    "class",
    "visitor",
    "country",
    "region",
  ]);
  for (const column of needs.flatMap(specialColumns)) {
    names.add(column);
  }
  return sql.join(
    [...names].map((name) => sql.identifier(name)),
    sql`, `,
  );
}

/**
 * Days whose cells of the tag are of all links that have it now. Links that get or lose tags enqueue work in the same transaction
 * (migrations/0004), which ends when every cell is current. Until then, the links that the cells of a slice list are compared with those
 * of the tag: none may have lost it, none that was clicked be missing.
 */
function selectTagged(tag: string, workspaceId: string, isWanted: Sql): Sql {
  return sql`WITH is_stale AS MATERIALIZED (
      SELECT FROM work WHERE kind = 'tags' AND key = ${workspaceId}
    ), tagged AS MATERIALIZED (
      SELECT id FROM links WHERE workspace_id = ${workspaceId}::uuid AND tags @> ARRAY[${tag}::text] AND EXISTS (SELECT FROM is_stale)
    ), counted AS MATERIALIZED (
      SELECT day, slice, unnest(link_id) AS id FROM click_cube
      WHERE ${isWanted} AND scope = ${TAG} AND scope_value = ${tag} AND EXISTS (SELECT FROM is_stale)
    ), clicked AS (
      SELECT day, slice, scope_value::uuid AS id FROM click_cube
      WHERE ${isWanted} AND scope = 'link_id' AND scope_value = ANY(ARRAY(SELECT id::text FROM tagged))
    )
    SELECT DISTINCT day FROM cube_slice WHERE NOT EXISTS (SELECT FROM is_stale)
    UNION ALL (
      SELECT day FROM counted
      EXCEPT SELECT day FROM counted WHERE id NOT IN (SELECT id FROM tagged)
      EXCEPT SELECT day FROM (SELECT * FROM clicked EXCEPT SELECT * FROM counted) AS missing
    )`;
}

/** `whole`: nothing is missing. `found`: what is missing is read click by click. `open`: each cell is of one quarter of an hour. */
export type Which = "whole" | "found" | "open" | "any";

/** SELECT of the days that touch the spans. */
export function daysIn(spans: readonly InstantRange[], which: Which): Sql {
  const isThat = {
    whole: sql`state = 'whole'`,
    found: sql`state IN ('whole', 'since')`,
    open: sql`state IS NOT NULL AND is_open`,
    any: sql`state IS NOT NULL`,
  }[which];
  return sql`SELECT day FROM cube_state WHERE ${isThat} AND tstzrange(day, day + interval '24 hours') && ${toMultirange(spans)}`;
}

/** Whether a cell is of a slice that counts. IS TRUE: hashed, because the planner would compare each cell with each slice. */
export const IS_COUNTED: Sql = sql`((day, ${SLICE_OF_CELL}) IN (SELECT day, slice FROM cube_slice)) IS TRUE`;
/** The same of cells of the workspace, of whole days: the sum of the slices in their place. */
export const IS_USED: Sql = sql`((day, ${SLICE_OF_CELL}) IN (SELECT day, slice FROM cube_used)) IS TRUE`;

/** Of the days, SELECT of those among `mostly` that have a sum of their slices, and of the others. */
export function summedDays(days: Sql, mostly: readonly InstantRange[]) {
  const starts = mostly.map(({ fromMs }) => new Date(fromMs).toISOString());
  const summed = sql`(${days} INTERSECT SELECT day FROM cube_used WHERE slice = ${DAY_SLICE} AND day = ANY(${starts}::timestamptz[]))`;
  return { summed, others: sql`${days} EXCEPT ${summed}` };
}

/** Of the days, SELECT of those whose cells of the tag are current, and of the others. */
export function tagDays(days: Sql) {
  const current = sql`SELECT day FROM cube_tagged`;
  return { current: sql`${days} INTERSECT ${current}`, others: sql`${days} EXCEPT ${current}` };
}

/** The spans without the days, as a multirange. */
export function uncovered(spans: readonly InstantRange[], days: Sql): Sql {
  return sql`(${toMultirange(spans)} - COALESCE((
    SELECT range_agg(tstzrange(day, day + interval '24 hours')) FROM (${days}) AS one), '{}'))`;
}

/** Until when all clicks are counted, epoch milliseconds; NULL: to the end. */
export function completeUntil(spans: Sql, column: "state" | "visitors"): Sql {
  return sql`(SELECT extract(epoch FROM min(COALESCE(until, day)))::float8 * 1000 FROM cube_state
    WHERE ${sql.identifier(column)} = 'partial' AND tstzrange(day, day + interval '24 hours') && ${spans})`;
}
