/** The statement of all breakdowns of a request: what several of them need is read once. */
import type { SqlRow } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import type { Dimension } from "../dimension.ts";
import { type Breakdown, type BreakdownPart, subtractPoints } from "../engine.ts";
import { bucketOf, toCounts } from "./counts.ts";
import { selectHits } from "./hits.ts";
import { ALL_TAGS } from "./pair.ts";
import type { Statement } from "./snapshot.ts";
import { createStatementTables, type StatementTables } from "./statement-tables.ts";
import { selectVisitors, visitorScopeOf } from "./visitors.ts";

type Found = Omit<Breakdown, "complete">;

export type CountedBreakdowns = Statement<readonly Found[]> & {
  /** By breakdown: the multiranges in which it reads single clicks. */
  readonly eventSpans: readonly (readonly Sql[])[];
};

export function countBreakdowns(asked: readonly BreakdownPart[]): CountedBreakdowns {
  const tables = createStatementTables();
  const selected = asked.map((one) => selectBreakdown(one, tables));
  const lists = selected.map(
    ({ query }, index) => sql`SELECT ${index}::int AS list, top.* FROM (${query}) AS top`,
  );
  return {
    eventSpans: selected.map(({ eventSpans }) => eventSpans),
    query: sql`${tables.toWith()}${sql.join(lists, sql` UNION ALL `)} ORDER BY list, clicks DESC, value`,
    read: (rows) => {
      const byList = Map.groupBy(rows, (row) => Number(row["list"]));
      return asked.map((part, index) => toBreakdown(byList.get(index) ?? [], part));
    },
  };
}

type Selected = { readonly query: Sql; readonly eventSpans: readonly Sql[] };

/** SELECT of the values of a breakdown in any order, with the sums of all of them in each row. */
function selectBreakdown(asked: BreakdownPart, tables: StatementTables): Selected {
  const { dimension, limit, search = "" } = asked;
  const { counted, eventSpans } = countByValue(asked, tables);
  const label = labelOf(dimension);
  const matching = [
    isValue(dimension),
    ...(search === ""
      ? []
      : [sql`strpos(lower(coalesce(${label}, value::text)), lower(${search}::text)) > 0`]),
  ];
  const top = tables.add(
    "top",
    sql`SELECT *, sum(clicks) OVER () AS matching_clicks, count(*) OVER () AS matching_values
      FROM ${counted} AS found WHERE ${sql.join(matching, sql` AND `)} ORDER BY clicks DESC, value LIMIT ${limit}`,
  );
  const points = selectPoints(asked, top, tables);
  const ofAll = dimension === "tag" ? sql`value = ${ALL_TAGS}` : sql`true`;
  const total = sql`SELECT sum(clicks) FROM ${counted} WHERE ${ofAll}`;
  const query = sql`SELECT top.value::text AS value, ${label} AS label, clicks::float8 AS clicks, visitors::float8 AS visitors,
      matching_clicks::float8 AS matching_clicks, matching_values::float8 AS matching_values,
      (${total})::float8 AS total_clicks, points, all_points
    FROM ${top} AS top ${points.query}`;
  return { query, eventSpans: [...eventSpans, ...points.eventSpans] };
}

/** A tag, in contrast to all of them. */
function isValue(dimension: Dimension): Sql {
  return dimension === "tag" ? sql`value IS DISTINCT FROM ${ALL_TAGS}` : sql`true`;
}

const NO_POINTS: Selected = {
  query: sql`CROSS JOIN (SELECT NULL::json AS points, NULL::json AS all_points) AS line`,
  eventSpans: [],
};

/**
 * JOIN of the clicks of the values in `top` by bucket, and of those of all values: by far fewer cells have them than those of every
 * value in every bucket. Of tags there are few cells. Values are compared as text, so that NULL equals itself.
 */
function selectPoints(
  { question, dimension, startsMs }: BreakdownPart,
  top: Sql,
  tables: StatementTables,
): Selected {
  if (startsMs === undefined) {
    return NO_POINTS;
  }
  const isTag = dimension === "tag";
  const bucket = bucketOf(startsMs);
  const inBuckets = (hits: Sql) =>
    sql`(SELECT value, ${bucket} AS bucket, clicks FROM (${hits}) AS hits) AS one`;
  const among = isTag ? undefined : sql`SELECT COALESCE(value::text, '') FROM ${top} AS top`;
  const listed = selectHits(question, { dimension, among, boundariesMs: startsMs }, tables);
  const byBucket = tables.add(
    "by_bucket",
    sql`SELECT value, bucket, sum(clicks) AS clicks FROM ${inBuckets(listed.query)} WHERE ${isValue(dimension)}
      GROUP BY 1, 2`,
  );
  const all = isTag ? null : selectHits(question, { boundariesMs: startsMs }, tables);
  const key = (table: string) => sql`COALESCE(${sql.identifier(table)}.value::text, '')`;
  return {
    query: sql`JOIN (
      SELECT ${key("one")} AS key, json_object_agg(bucket, one.clicks::float8) AS points
      FROM ${byBucket} AS one JOIN ${top} AS listed ON ${key("listed")} = ${key("one")} GROUP BY 1
    ) AS line ON line.key = ${key("top")}
    CROSS JOIN (
      SELECT json_object_agg(bucket, clicks) AS all_points FROM (
        SELECT bucket, sum(clicks)::float8 AS clicks FROM ${all === null ? byBucket : inBuckets(all.query)} GROUP BY bucket
      ) AS sums
    ) AS sums`,
    eventSpans: [...listed.eventSpans, ...(all?.eventSpans ?? [])],
  };
}

/** Adds a table (value, clicks, visitors). */
function countByValue(
  { question, dimension, visitors = false }: BreakdownPart,
  tables: StatementTables,
): { readonly counted: Sql; readonly eventSpans: readonly Sql[] } {
  const scope = visitors ? visitorScopeOf({ ...question, dimension }) : null;
  const isFromEvents = visitors && scope === null;
  const hits = selectHits(question, { dimension, visitors: isFromEvents }, tables);
  const clicked = sql`SELECT value, sum(clicks) AS clicks,
      ${isFromEvents ? sql`count(DISTINCT visitor)` : sql`NULL::bigint`} AS visitors
    FROM (${hits.query}) AS clicked GROUP BY value`;
  if (scope === null) {
    return { counted: tables.add("counted", clicked), eventSpans: hits.eventSpans };
  }
  const seen = selectVisitors(question, scope, [question.range.fromMs]);
  const counted = sql`SELECT value, clicks, COALESCE(seen.visitors, 0) AS visitors FROM (${clicked}) AS clicked
    LEFT JOIN (${seen.query}) AS seen ON seen.key = COALESCE(value::text, '')`;
  return { counted: tables.add("counted", counted), eventSpans: [...hits.eventSpans, seen.eventSpans] };
}

function labelOf(dimension: Dimension): Sql {
  if (dimension === "link") {
    return sql`(SELECT domains.host || '/' || links.slug FROM links JOIN domains ON domains.id = links.domain_id
        WHERE links.id = value)`;
  }
  return dimension === "domain" ? sql`(SELECT host FROM domains WHERE id = value)` : sql`NULL::text`;
}

function toBreakdown(rows: readonly SqlRow[], { visitors = false, startsMs = [] }: BreakdownPart): Found {
  const values = rows.map((row) => ({
    ...toCounts(row, visitors),
    value: toText(row["value"]),
    label: toText(row["label"]),
    points: toPoints(row["points"], startsMs),
  }));
  const listed = values.reduce((sum, { clicks }) => sum + clicks, 0);
  const [first = {}] = rows;
  return {
    values,
    otherClicks: Number(first["matching_clicks"] ?? 0) - listed,
    otherValues: Number(first["matching_values"] ?? 0) - values.length,
    otherPoints: subtractPoints(toPoints(first["all_points"], startsMs), values),
    totalClicks: Number(first["total_clicks"] ?? 0),
  };
}

/** From an object of clicks by bucket; zero for buckets without. */
function toPoints(cell: unknown, startsMs: readonly number[]): readonly number[] {
  const byBucket = new Map(typeof cell === "object" && cell !== null ? Object.entries(cell) : []);
  return startsMs.map((_start, index) => Number(byBucket.get(String(index + 1)) ?? 0));
}

function toText(cell: unknown): string | null {
  return typeof cell === "string" ? cell : null;
}
