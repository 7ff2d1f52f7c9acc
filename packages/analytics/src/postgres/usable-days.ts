/**
 * The days that may be read from the cube: those whose slices have as many clicks as the rollups, which are written together with
 * the events. A day with a late click is not among them, in the same snapshot.
 */
import { type Sql, sql } from "@hopline/db/sql";
import { floorToDay } from "../calendar.ts";
import { TAG } from "../cube/cube-columns.ts";
import type { Dimension } from "../dimension.ts";
import type { Question } from "../engine.ts";
import type { InstantRange } from "../range.ts";
import { toMultirange, toTimestamp } from "../instant.ts";
import { tagOf } from "./pair.ts";

/** Live for one transaction: all statements of an answer need the same days. */
const DAYS = "hopline.cube_days";
const VISITOR_DAYS = "hopline.visitor_days";
/** Those whose cells of the questions' tag are of all clicks of the links that have it now. */
const TAG_DAYS = "hopline.tag_days";

type Asked = { readonly question: Question; readonly dimension?: Dimension };

/** Statements that find the usable days for all of these, of one workspace, for the rest of their transaction. */
export function keepUsableDays(asked: readonly [Asked, ...Asked[]]): readonly Sql[] {
  const { workspaceId } = asked[0].question;
  const tags = new Set(asked.map(({ question, dimension }) => tagOf({ ...question, dimension })));
  tags.delete(null);
  const [tag = null] = tags.size === 1 ? tags : [];
  const firstMs = Math.min(...asked.map(({ question }) => floorToDay(question.range.fromMs)));
  const lastMs = Math.max(...asked.map(({ question }) => question.range.toMs));
  const isWanted = sql`workspace_id = ${workspaceId}::uuid AND day >= ${toTimestamp(firstMs)} AND day < ${toTimestamp(lastMs)}`;
  // The planner underestimates the rows of arrays, and sorting them into groups costs several times as much as hashing.
  const keep = sql`SELECT set_config('enable_sort', 'off', true),
      set_config(${DAYS}, COALESCE(array_agg(day) FILTER (WHERE made.clicks = rolled_up.clicks)::text, '{}'), true),
      set_config(${VISITOR_DAYS}, COALESCE(array_agg(day) FILTER (WHERE seen.clicks = rolled_up.clicks)::text, '{}'), true)
    FROM (SELECT day, sum(clicks) AS clicks FROM cube_days WHERE ${isWanted} GROUP BY day) AS made
    JOIN (
      SELECT date_bin('24 hours', bucket_start, 'epoch') AS day, sum(clicks) AS clicks FROM workspace_rollups
      WHERE workspace_id = ${workspaceId}::uuid AND bucket_start >= ${toTimestamp(firstMs)}
        AND bucket_start < ${toTimestamp(lastMs)}::timestamptz + interval '24 hours'
      GROUP BY 1
    ) AS rolled_up USING (day)
    LEFT JOIN (
      SELECT day, day_clicks AS clicks FROM cube_visitors WHERE ${isWanted} AND scope = '' AND scope_value = '' AND NOT of_humans
    ) AS seen USING (day)`;
  return tag === null ? [keep] : [keep, keepTagDays(tag, workspaceId, isWanted)];
}

/**
 * Links that get or lose tags enqueue work in the same transaction (migrations/0004), which ends when every cell is current. Until
 * then, the links that a cell lists are compared with those of the tag: none may have lost it, none that was clicked be missing.
 */
function keepTagDays(tag: string, workspaceId: string, isWanted: Sql): Sql {
  const ofTag = sql`FROM click_cube WHERE ${isWanted} AND scope = ${TAG} AND scope_value = ${tag}`;
  const compared = sql`WITH tagged AS MATERIALIZED (
      SELECT id FROM links WHERE workspace_id = ${workspaceId}::uuid AND tags @> ARRAY[${tag}::text]
    ), counted AS MATERIALIZED (
      SELECT day, unnest(link_id) AS id ${ofTag}
    ), clicked AS (
      SELECT day, scope_value::uuid AS id FROM click_cube
      WHERE ${isWanted} AND scope = 'link_id' AND scope_value = ANY(ARRAY(SELECT id::text FROM tagged))
    )
    SELECT array_agg(day) FROM (
      SELECT day FROM counted
      EXCEPT SELECT day FROM counted WHERE id NOT IN (SELECT id FROM tagged)
      EXCEPT SELECT day FROM clicked WHERE NOT EXISTS (SELECT FROM counted WHERE counted.day = clicked.day AND counted.id = clicked.id)
    ) AS kept`;
  return sql`SELECT set_config(${TAG_DAYS}, (CASE
      WHEN EXISTS (SELECT FROM work WHERE kind = 'tags' AND key = ${workspaceId}) THEN (${compared})
      ELSE (SELECT array_agg(DISTINCT day) ${ofTag})
    END)::text, true)`;
}

/** SELECT of the usable days that touch the spans. None unless `keepUsableDays` ran before: then nothing is read from the cube. */
export function usableDays(spans: readonly InstantRange[]): Sql {
  return sql`SELECT day FROM ${keptDays(DAYS)} WHERE tstzrange(day, day + interval '24 hours') && ${toMultirange(spans)}`;
}

/** Of the usable days that touch the spans, SELECT of those whose cells of the tag are current, and of the others. */
export function tagDays(spans: readonly InstantRange[]) {
  const current = sql`SELECT day FROM ${keptDays(TAG_DAYS)}`;
  return {
    current: sql`${usableDays(spans)} INTERSECT ${current}`,
    others: sql`${usableDays(spans)} EXCEPT ${current}`,
  };
}

/** SELECT of the days whose visitors are counted. */
export function visitorDays(): Sql {
  return sql`SELECT day FROM ${keptDays(VISITOR_DAYS)}`;
}

function keptDays(name: string): Sql {
  return sql`unnest(NULLIF(current_setting(${name}, true), '')::timestamptz[]) AS kept (day)`;
}

/** The spans without the usable days, as a multirange. */
export function uncovered(spans: readonly InstantRange[]): Sql {
  return sql`(${toMultirange(spans)} - ${rangesOf(usableDays(spans))})`;
}

function rangesOf(days: Sql): Sql {
  return sql`COALESCE((SELECT range_agg(tstzrange(day, day + interval '24 hours')) FROM (${days}) AS one), '{}')`;
}
