/**
 * Unique visitors of a workspace, a link or a country, from those that are counted by day (migrations/0023) and from single
 * clicks of the rest. Days can be added up, because the key of a visitor's hash changes every UTC day: no visitor is in two days.
 */
import { type Sql, sql } from "@hopline/db/sql";
import type { Dimension, Filter } from "../dimension.ts";
import type { Question } from "../engine.ts";
import { CLICKS } from "../event-values.ts";
import { eventColumn, toConditions } from "./conditions.ts";
import { type DayPart, planDayParts } from "./day-parts.ts";
import { toMultirange } from "./instant.ts";
import { visitorDays } from "./usable-days.ts";

/** The rows of cube_visitors that answer a question. */
export type VisitorScope = {
  readonly name: "" | "link_id" | "country";
  /** `null`: each value. */
  readonly value: string | null;
  readonly ofHumans: boolean;
};

type Asked = { readonly filters: readonly Filter[]; readonly dimension?: Dimension | undefined };

/** `null` if only single clicks can answer: a visitor of two links or countries is one visitor. */
export function visitorScopeOf({ filters, dimension }: Asked): VisitorScope | null {
  const classes = filters.filter((filter) => filter.dimension === "class");
  const [place, ...more] = filters.filter((filter) => filter.dimension !== "class");
  if (more.length > 0 || !classes.every((filter) => onlyValueOf(filter) === "human")) {
    return null;
  }
  const ofHumans = classes.length > 0;
  if (place === undefined) {
    return dimension === undefined
      ? { name: "", value: "", ofHumans }
      : dimension === "country" || dimension === "link"
        ? { name: dimension === "link" ? "link_id" : dimension, value: null, ofHumans }
        : null;
  }
  const value = onlyValueOf(place);
  if (dimension !== undefined || value === undefined) {
    return null;
  }
  if (place.dimension === "country") {
    return { name: "country", value: value ?? "", ofHumans };
  }
  return place.dimension === "link" && value !== null ? { name: "link_id", value, ofHumans } : null;
}

/** `undefined` if other values match too. */
function onlyValueOf({ is, isNot }: Filter): string | null | undefined {
  return is.length === 1 && isNot.length === 0 ? is[0] : undefined;
}

export type CountedVisitors = {
  /** Rows of (key, visitors): by bucket, numbered from 1, or by the value as text; none where nobody came. */
  readonly query: Sql;
  /** Where single clicks are read. */
  readonly eventSpans: Sql;
};

/** @param startsMs as in `planDayParts`. */
export function selectVisitors(
  { workspaceId, range, filters }: Question,
  { name, value, ofHumans }: VisitorScope,
  startsMs: readonly number[],
): CountedVisitors {
  const parts = planDayParts(range, startsMs);
  const column = (valueOf: (part: DayPart) => string | number) => sql`${parts.map(valueOf)}`;
  const usable = sql`SELECT part.* FROM unnest(${column(({ bucket }) => bucket)}::int[],
      ${column(({ dayMs }) => new Date(dayMs).toISOString())}::timestamptz[],
      ${column(({ fromQuarter }) => fromQuarter)}::int[],
      ${column(({ toQuarter }) => toQuarter)}::int[]) AS part (bucket, day, from_quarter, to_quarter)
    WHERE day IN (${visitorDays(name)})`;
  const rest = sql`(${toMultirange([range])} - COALESCE((SELECT range_agg(tstzrange(
      day + from_quarter * interval '15 minutes', day + to_quarter * interval '15 minutes')) FROM (${usable}) AS usable), '{}'))`;
  const starts = startsMs.map((atMs) => new Date(atMs).toISOString());
  const isKept = [
    sql`workspace_id = ${workspaceId}::uuid AND scope = ${name}::text AND of_humans = ${ofHumans} AND cube_visitors.day = usable.day`,
    ...(value === null ? [] : [sql`scope_value = ${value}`]),
  ];
  const isHit = [
    sql`workspace_id = ${workspaceId}::uuid AND clicked_at >= lower(span) AND clicked_at < upper(span)`,
    ...toConditions(workspaceId, filters, eventColumn),
  ];
  const keyOfEvent =
    value === null
      ? sql`COALESCE(${sql.identifier(name)}::text, '')`
      : sql`width_bucket(clicked_at, ${starts}::timestamptz[])`;
  // A bucket has at most one part of a day, so stored and counted visitors are different ones.
  const query = sql`SELECT key, sum(visitors) AS visitors FROM (
      SELECT ${value === null ? sql`scope_value` : sql`bucket`} AS key, (CASE WHEN from_quarter = 0
        THEN (SELECT sum(n) FROM unnest(first_quarters, first_visitors) AS seen (quarter, n) WHERE quarter < to_quarter)
        ELSE (SELECT sum(n) FROM unnest(last_quarters, last_visitors) AS seen (quarter, n) WHERE quarter >= from_quarter)
        END) AS visitors
      FROM (${usable}) AS usable JOIN cube_visitors ON ${sql.join(isKept, sql` AND `)}
      UNION ALL
      SELECT key, count(DISTINCT visitor) FROM unnest(${rest}) AS span CROSS JOIN LATERAL (
        SELECT ${keyOfEvent} AS key, visitor FROM ${CLICKS} WHERE ${sql.join(isHit, sql` AND `)} OFFSET 0
      ) AS hit
      GROUP BY key
    ) AS part GROUP BY key`;
  return { query, eventSpans: rest };
}
