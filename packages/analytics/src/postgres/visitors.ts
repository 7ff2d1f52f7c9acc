/**
 * Unique visitors of a workspace, a link or a country, from those that are counted by day (migrations/0023) and from single
 * clicks of the rest. Days can be added up, because the key of a visitor's hash changes every UTC day: no visitor is in two days.
 */
import { type Sql, sql } from "@hopline/db/sql";
import type { Dimension, Filter } from "../dimension.ts";
import type { Question } from "../engine.ts";
import { eventColumn, toConditions } from "./conditions.ts";
import { toMultirange, toTimestamp } from "../instant.ts";
import type { Needs } from "./pair.ts";
import type { PartTables } from "./statement-tables.ts";
import { visitorDays } from "./usable-days.ts";

/** The rows of cube_visitors that answer a question. */
export type VisitorScope = {
  readonly name: "" | "link_id" | "country";
  /** `null`: each value. */
  readonly value: string | null;
  readonly ofHumans: boolean;
};

const SCOPES: { readonly [Name in Dimension]?: VisitorScope["name"] } = {
  link: "link_id",
  country: "country",
};

/** `null` if only single clicks can answer: a visitor of two links or countries is one visitor. */
export function visitorScopeOf({ filters, dimension }: Needs): VisitorScope | null {
  const classes = filters.filter((filter) => filter.dimension === "class");
  const [place, ...more] = [
    ...filters
      .filter((filter) => filter.dimension !== "class")
      .map((filter) => ({ of: filter.dimension, value: onlyValueOf(filter) })),
    ...(dimension === undefined ? [] : [{ of: dimension, value: null }]),
  ];
  const name = place === undefined ? "" : SCOPES[place.of];
  const value = place === undefined ? "" : place.value;
  const isCounted = more.length === 0 && classes.every((filter) => onlyValueOf(filter) === "human");
  return name === undefined || value === undefined || !isCounted
    ? null
    : { name, value, ofHumans: classes.length > 0 };
}

/** Empty for unknown; `undefined` if other values match too. */
function onlyValueOf({ is, isNot }: Filter): string | undefined {
  return is.length === 1 && isNot.length === 0 ? (is[0] ?? "") : undefined;
}

/**
 * SELECT of (key, visitors): by bucket, numbered from 1, or by the value as text; none where nobody came.
 *
 * @param startsMs the starts of the buckets, ascending; the first is at or before the range.
 */
export function selectVisitors(
  { workspaceId, range, filters }: Question,
  { name, value, ofHumans }: VisitorScope,
  startsMs: readonly number[],
  { clickSpans }: PartTables,
): Sql {
  const starts = sql`${startsMs.map((atMs) => new Date(atMs).toISOString())}::timestamptz[]`;
  const bucketOf = (at: Sql) => sql`width_bucket(${at}, ${starts})`;
  const [from, to] = [toTimestamp(range.fromMs), toTimestamp(range.toMs)];
  // OFFSET 0: worked out once for a day, and not for each value that it has.
  // The part of a day's first bucket from midnight on, that of its last one until midnight; the same if the day is in one bucket.
  const counted = sql`
    SELECT bucket, day, (extract(epoch FROM begins - day) / 900)::int AS first, (extract(epoch FROM ends - day) / 900)::int AS last,
      tstzrange(begins, ends) AS span
    FROM (
      SELECT day, ${bucketOf(sql`day`)} AS bucket, day AS begins,
        LEAST((${starts})[${bucketOf(sql`day`)} + 1], ${to}, day + interval '24 hours') AS ends
      FROM (${visitorDays(name)}) AS one WHERE day >= ${from} AND day < ${to}
      UNION SELECT day, ${bucketOf(sql`until`)}, GREATEST((${starts})[${bucketOf(sql`until`)}], ${from}, day), day + interval '24 hours'
      FROM (SELECT day, day + interval '24 hours' - interval '1 microsecond' AS until FROM (${visitorDays(name)}) AS day) AS one
      WHERE until >= ${from} AND until < ${to}
    ) AS part
    WHERE date_bin('15 minutes', begins, 'epoch') = begins AND date_bin('15 minutes', ends, 'epoch') = ends OFFSET 0`;
  const rest = sql`(${toMultirange([range])} - COALESCE((SELECT range_agg(span) FROM (${counted}) AS counted), '{}'))`;
  clickSpans.push(rest);
  const isKept = [
    sql`workspace_id = ${workspaceId}::uuid AND scope = ${name}::text AND of_humans = ${ofHumans} AND cube_visitors.day = counted.day`,
    ...(value === null ? [] : [sql`scope_value = ${value}`]),
  ];
  const isHit = [
    sql`workspace_id = ${workspaceId}::uuid AND clicked_at >= lower(span) AND clicked_at < upper(span)`,
    ...toConditions(workspaceId, filters, eventColumn),
  ];
  const keyOfEvent =
    value === null ? sql`COALESCE(${sql.identifier(name)}::text, '')` : bucketOf(sql`clicked_at`);
  // A bucket has at most one part of a day, so stored and counted visitors are different ones.
  return sql`SELECT key, sum(visitors) AS visitors FROM (
      SELECT ${value === null ? sql`scope_value` : sql`bucket`} AS key, (CASE WHEN first = 0
        THEN (SELECT sum(n) FROM unnest(first_quarters, first_visitors) AS seen (quarter, n) WHERE quarter < last)
        ELSE (SELECT sum(n) FROM unnest(last_quarters, last_visitors) AS seen (quarter, n) WHERE quarter >= first)
        END) AS visitors
      FROM (${counted}) AS counted JOIN cube_visitors ON ${sql.join(isKept, sql` AND `)}
      UNION ALL
      SELECT key, count(DISTINCT visitor) FROM unnest(${rest}) AS span CROSS JOIN LATERAL (
        SELECT ${keyOfEvent} AS key, visitor FROM click_events WHERE ${sql.join(isHit, sql` AND `)} OFFSET 0
      ) AS hit
      GROUP BY key
    ) AS part GROUP BY key`;
}
