/**
 * Unique visitors of a workspace, a link or a country, from the summaries of days (migrations/0016) and from the events of the
 * rest. Days can be added up, because the key of a visitor's hash changes every UTC day: no visitor is in two days.
 */
import { type SQL, sql } from "drizzle-orm";
import { eventColumn, toConditions } from "./conditions.ts";
import { type DayPart, planDayParts } from "./day-parts.ts";
import type { Dimension, Filter } from "@hopline/analytics/dimension";
import type { Question } from "./question.ts";
import { selectUsable, uncoveredSpans, UNCOVERED_FROM, UNCOVERED_TO } from "./summary-periods.ts";
import { toTimestamp } from "./timestamp.ts";

/** The rows of visitor_summaries that answer a question. */
export type VisitorScope = {
  readonly name: "workspace" | "link_id" | "country";
  readonly value: string;
  readonly ofHumans: boolean;
};

type Asked = { readonly filters: readonly Filter[]; readonly dimension?: Dimension | undefined };

/**
 * `null` if only the events can answer: a visitor of two links or countries is one visitor. By dimension, there is only a whole
 * workspace by country; not by link, because links with few clicks in a day have no rows.
 */
export function visitorScopeOf({ filters, dimension }: Asked): VisitorScope | null {
  const scope = scopeOfFilters(filters);
  return dimension === undefined || (dimension === "country" && scope?.name === "workspace") ? scope : null;
}

function scopeOfFilters(filters: readonly Filter[]): VisitorScope | null {
  const classes = filters.filter(({ dimension }) => dimension === "class");
  const [place, ...more] = filters.filter(({ dimension }) => dimension !== "class");
  if (more.length > 0 || !classes.every((filter) => onlyValueOf(filter) === "human")) {
    return null;
  }
  const ofPlace = place === undefined ? { name: "workspace" as const, value: "" } : placeOf(place);
  return ofPlace === null ? null : { ...ofPlace, ofHumans: classes.length > 0 };
}

function placeOf(filter: Filter): Omit<VisitorScope, "ofHumans"> | null {
  const value = onlyValueOf(filter);
  if (filter.dimension === "country" && value !== undefined) {
    return { name: "country", value: value ?? "" };
  }
  return filter.dimension === "link" && typeof value === "string" ? { name: "link_id", value } : null;
}

/** `undefined` if other values match too. */
function onlyValueOf({ is, isNot }: Filter): string | null | undefined {
  return is.length === 1 && isNot.length === 0 ? is[0] : undefined;
}

/**
 * Rows of (bucket, visitors), none for a bucket without clicks; the buckets are numbered from 1.
 *
 * @param startsMs as in `planDayParts`.
 */
export function selectVisitors(question: Question, scope: VisitorScope, startsMs: readonly number[]): SQL {
  const starts = sql.param(startsMs.map((atMs) => new Date(atMs).toISOString()));
  // A bucket has at most one part of a day, so stored and counted visitors are different ones.
  return sql`WITH usable AS MATERIALIZED (${selectKeptParts(question, scope, startsMs)})
    SELECT bucket, sum(visitors) AS visitors FROM (
      SELECT bucket, visitors FROM usable
      UNION ALL
      ${countUncovered(question, sql`width_bucket(clicked_at, ${starts}::timestamptz[])`)}
    ) AS part GROUP BY bucket`;
}

/** Rows of (country, visitors) of a whole workspace; the country is empty if unknown. */
export function selectVisitorsByCountry(question: Question, scope: VisitorScope): SQL {
  return sql`WITH usable AS MATERIALIZED (${selectKeptParts(question, scope, [question.range.fromMs])})
    SELECT country, sum(visitors) AS visitors FROM (
      SELECT scope_value AS country, ${VISITORS_OF_PART} AS visitors
      FROM usable JOIN visitor_summaries AS kept ON kept.workspace_id = ${question.workspaceId}::uuid
        AND kept.scope = 'country' AND kept.of_humans = ${scope.ofHumans} AND kept.period_start = usable.day
      UNION ALL
      ${countUncovered(question, sql`COALESCE(country, '')`)}
    ) AS part GROUP BY country`;
}

/** Rows of (`by`, visitors) from the events outside of `usable`. */
function countUncovered({ workspaceId, range, filters }: Question, by: SQL): SQL {
  const conditions = [
    sql`workspace_id = ${workspaceId}::uuid AND clicked_at >= ${UNCOVERED_FROM} AND clicked_at < ${UNCOVERED_TO}`,
    ...toConditions(workspaceId, filters, eventColumn),
  ];
  return sql`SELECT part, count(DISTINCT visitor) FROM ${uncoveredSpans(sql`usable`, edgesOf(range))}
    CROSS JOIN LATERAL (
      SELECT ${by} AS part, visitor FROM click_events WHERE ${sql.join(conditions, sql` AND `)} OFFSET 0
    ) AS event
    GROUP BY part`;
}

/** Rows of (span): where `selectVisitors` reads events. `only` is added to the conditions of both halves. */
export function selectVisitorEventSpans(
  question: Question,
  scope: VisitorScope,
  { startsMs, only }: { readonly startsMs: readonly number[]; readonly only: SQL },
): SQL {
  return sql`(WITH usable AS MATERIALIZED (
      SELECT * FROM (${selectKeptParts(question, scope, startsMs)}) AS part WHERE ${only}
    ) SELECT span FROM ${uncoveredSpans(sql`usable`, edgesOf(question.range))} WHERE ${only})`;
}

function edgesOf({ fromMs, toMs }: Question["range"]) {
  return { from: toTimestamp(fromMs), to: toTimestamp(toMs) };
}

/** Rows of (bucket, day, from_quarter, to_quarter, period_start, period_end, visitors): the stored parts of days. */
function selectKeptParts(
  { workspaceId, range }: Question,
  { name, value, ofHumans }: VisitorScope,
  startsMs: readonly number[],
): SQL {
  const parts = planDayParts(range, startsMs);
  const rowsOf = (alias: string, scope: string, scopeValue: string) => {
    const row = sql.raw(alias);
    return sql`${row}.workspace_id = ${workspaceId}::uuid AND ${row}.scope = ${scope}
      AND ${row}.scope_value = ${scopeValue} AND ${row}.of_humans = ${ofHumans}
      AND ${row}.period_start = period.period_start`;
  };
  // A day with a row for the workspace has one for each of its countries: no row means no click.
  const isKnown =
    name === "country"
      ? sql`EXISTS (SELECT FROM visitor_summaries AS whole WHERE ${rowsOf("whole", "workspace", "")})`
      : sql`kept.scope IS NOT NULL`;
  const quarter = sql`interval '15 minutes'`;
  return sql`WITH period AS MATERIALIZED (${selectUsable(workspaceId, range)})
    SELECT part.*, day + from_quarter * ${quarter} AS period_start, day + to_quarter * ${quarter} AS period_end,
      ${VISITORS_OF_PART} AS visitors
    FROM unnest(${partColumn(parts, ({ bucket }) => bucket)}::int[],
      ${partColumn(parts, ({ dayMs }) => new Date(dayMs).toISOString())}::timestamptz[],
      ${partColumn(parts, ({ fromQuarter }) => fromQuarter)}::smallint[],
      ${partColumn(parts, ({ toQuarter }) => toQuarter)}::smallint[]) AS part (bucket, day, from_quarter, to_quarter)
    JOIN period ON period.period_start = day
    LEFT JOIN visitor_summaries AS kept ON ${rowsOf("kept", name, value)}
    WHERE ${isKnown}`;
}

/** For a part that starts at midnight, the last row up to its end; for another part, the first row from its start. */
const VISITORS_OF_PART = sql`COALESCE(CASE WHEN from_quarter = 0
    THEN seen_by[width_bucket(to_quarter - 1::smallint, first_quarters)]
    ELSE seen_since[1 + width_bucket(from_quarter - 1::smallint, last_quarters)] END, 0)`;

function partColumn(parts: readonly DayPart[], valueOf: (part: DayPart) => string | number): SQL {
  return sql`${sql.param(parts.map(valueOf))}`;
}
