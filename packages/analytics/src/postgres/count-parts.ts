/** One statement for the series and breakdowns of a request: what several of them need is read once. */
import type { SqlRow } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import type { Dimension } from "../dimension.ts";
import {
  type Breakdown,
  type BreakdownPart,
  type Completeness,
  type Counts,
  type Series,
  type SeriesPart,
  subtractPoints,
} from "../engine.ts";
import { isComplete, toCompleteness } from "./completeness.ts";
import { selectHits } from "./select-hits.ts";
import type { Planned } from "./snapshot.ts";
import { createStatementTables, type PartTables } from "./statement-tables.ts";
import { completeUntil, tablesOfDays } from "./usable-days.ts";
import { selectVisitors, visitorScopeOf } from "./visitors.ts";

type CountedPart = SeriesPart | BreakdownPart;

/** Counts are selected as float8: exact up to 2^53. Beside the parts' own rows there is one that tells how complete they are. */
export function countParts(
  parts: readonly [CountedPart, ...CountedPart[]],
  mostClicks: number | null,
): Planned {
  const days = tablesOfDays(parts, mostClicks);
  const tables = createStatementTables([days]);
  const selected = parts.map((part, index) => {
    const own: PartTables = { ...tables, clickSpans: [], cellSpans: [], visitorSpans: [] };
    const query = part.kind === "series" ? selectSeries(part, own) : selectBreakdown(part, own);
    return {
      list: sql`SELECT ${index}::int AS list, one.* FROM (${query}) AS one`,
      complete: sql`json_build_array(${isComplete(part.question.workspaceId, own.clickSpans)}, LEAST(${sql.join(
        [
          sql`NULL`,
          ...own.cellSpans.map((spans) => completeUntil(spans, "state")),
          ...own.visitorSpans.map((spans) => completeUntil(spans, "visitors")),
        ],
        sql`, `,
      )}))`,
    };
  });
  const complete = sql.join(
    selected.map((one) => one.complete),
    sql`, `,
  );
  const lists = [
    ...selected.map(({ list }) => list),
    sql`SELECT -1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, json_build_array(${complete}), NULL`,
  ];
  return {
    query: sql`${tables.toWith()}${sql.join(lists, sql` UNION ALL `)} ORDER BY list, clicks DESC, value`,
    read: (rows) => {
      const byList = Map.groupBy(rows, (row) => Number(row["list"]));
      const states = [byList.get(-1)?.[0]?.["points"]].flat();
      return parts.map((part, index) => {
        const found = byList.get(index) ?? [];
        const answer = part.kind === "series" ? toSeries(found, part) : toBreakdown(found, part);
        return { ...answer, ...toCompleteness(states[index]) };
      });
    },
  };
}

/** The number of clicks in each bucket that has some. The buckets are sent as instants: the server's time zone data does not matter. */
function selectSeries(part: SeriesPart, tables: PartTables): Sql {
  return sql`SELECT value::text COLLATE "C" AS value, NULL::text AS label, clicks::float8 AS clicks, visitors::float8 AS visitors,
      NULL::float8 AS matching_clicks, NULL::float8 AS matching_values, NULL::float8 AS total_clicks,
      NULL::json AS points, NULL::json AS all_points
    FROM (${countBy(part, part.startsMs, tables)}) AS counted`;
}

/** The values of a breakdown in any order, with the sums of all of them in each row. Ties by bytes, as ClickHouse has them, whatever the collation. */
function selectBreakdown(part: BreakdownPart, tables: PartTables): Sql {
  const { question, dimension, limit, search = "" } = part;
  const counted = tables.add("counted", countBy(part, [question.range.fromMs], tables));
  const label = labelOf(dimension);
  const isMatching =
    search === ""
      ? sql`true`
      : sql`strpos(lower(coalesce(${label}, value::text)), lower(${search}::text)) > 0`;
  const top = tables.add(
    "top",
    sql`SELECT *, sum(clicks) OVER () AS matching_clicks, count(*) OVER () AS matching_values
      FROM ${counted} AS found WHERE ${isMatching} ORDER BY clicks DESC, value::text COLLATE "C" LIMIT ${limit}`,
  );
  // A click of several tags is counted once.
  const all = dimension === "tag" ? sql`(${selectHits(question, tables)}) AS hits` : counted;
  return sql`SELECT top.value::text COLLATE "C" AS value, ${label} AS label, clicks::float8 AS clicks, visitors::float8 AS visitors,
      matching_clicks::float8 AS matching_clicks, matching_values::float8 AS matching_values,
      (SELECT sum(clicks) FROM ${all})::float8 AS total_clicks, points, all_points
    FROM ${top} AS top ${joinPoints(part, top, tables)}`;
}

/** SELECT of (value, clicks, visitors), by bucket, counted from 1, or by the dimension's values. */
function countBy(part: CountedPart, startsMs: readonly number[], tables: PartTables): Sql {
  const { question, visitors = false } = part;
  const dimension = part.kind === "series" ? undefined : part.dimension;
  const isTotal = startsMs.length === 1;
  const wanted = { ...question, dimension, boundariesMs: isTotal ? undefined : startsMs };
  const scope = visitors ? visitorScopeOf(wanted) : null;
  const value = dimension !== undefined ? sql`value` : isTotal ? sql`1::integer` : bucketOf(startsMs);
  const hits = [
    selectHits({ ...wanted, visitors: visitors && scope === null }, tables),
    ...(scope === null ? [] : [selectVisitors(wanted, scope, value, tables)]),
  ];
  const seen = scope === null ? sql`count(DISTINCT visitor)` : sql`COALESCE(sum(visitors), 0)`;
  return sql`SELECT ${value} AS value, sum(clicks) AS clicks, ${visitors ? seen : sql`NULL::bigint`} AS visitors
    FROM (${sql.join(hits, sql` UNION ALL `)}) AS hits GROUP BY 1 HAVING sum(clicks) > 0`;
}

/** The bucket of `at`, from 1. */
function bucketOf(startsMs: readonly number[]): Sql {
  return sql`width_bucket(at, ${startsMs.map((atMs) => new Date(atMs).toISOString())}::timestamptz[])`;
}

/**
 * JOIN of the clicks of the values in `top` by bucket, and of those of all values: by far fewer cells have them than those of every
 * value in every bucket. Of tags there are few cells. Values are compared as text, so that NULL equals itself.
 */
function joinPoints({ question, dimension, startsMs }: BreakdownPart, top: Sql, tables: PartTables): Sql {
  if (startsMs === undefined) {
    return sql`CROSS JOIN (SELECT NULL::json AS points, NULL::json AS all_points) AS line`;
  }
  const isTag = dimension === "tag";
  const inBuckets = (hits: Sql) =>
    sql`SELECT value, ${bucketOf(startsMs)} AS bucket, sum(clicks) AS clicks FROM (${hits}) AS hits GROUP BY 1, 2`;
  const among = isTag ? undefined : sql`SELECT COALESCE(value::text, '') FROM ${top} AS top`;
  const listed = { ...question, dimension, among, boundariesMs: startsMs };
  const byBucket = tables.add("by_bucket", inBuckets(selectHits(listed, tables)));
  // Of tags, all points are the sum of theirs.
  const all = isTag
    ? byBucket
    : sql`(${inBuckets(selectHits({ ...question, boundariesMs: startsMs }, tables))}) AS one`;
  const key = (table: string) => sql`COALESCE(${sql.identifier(table)}.value::text, '')`;
  return sql`JOIN (
      SELECT ${key("one")} AS key, json_object_agg(bucket, one.clicks::float8) AS points
      FROM ${byBucket} AS one JOIN ${top} AS listed ON ${key("listed")} = ${key("one")} GROUP BY 1
    ) AS line ON line.key = ${key("top")}
    CROSS JOIN (
      SELECT json_object_agg(bucket, clicks) AS all_points FROM (
        SELECT bucket, sum(clicks)::float8 AS clicks FROM ${all} GROUP BY bucket
      ) AS sums
    ) AS sums`;
}

function labelOf(dimension: Dimension): Sql {
  if (dimension === "link") {
    return sql`(SELECT domains.host || '/' || links.slug FROM links JOIN domains ON domains.id = links.domain_id
        WHERE links.id = value)`;
  }
  return dimension === "domain" ? sql`(SELECT host FROM domains WHERE id = value)` : sql`NULL::text`;
}

/** One point for each start, zero for buckets without clicks. */
function toSeries(
  rows: readonly SqlRow[],
  { startsMs, visitors }: SeriesPart,
): Omit<Series, keyof Completeness> {
  const byBucket = new Map(rows.map((row) => [Number(row["value"]), row]));
  return { points: startsMs.map((_start, index) => toCounts(byBucket.get(index + 1) ?? {}, visitors)) };
}

function toCounts(row: SqlRow, visitors: boolean): Counts {
  return { clicks: Number(row["clicks"] ?? 0), visitors: visitors ? Number(row["visitors"] ?? 0) : null };
}

function toBreakdown(
  rows: readonly SqlRow[],
  { visitors = false, startsMs = [] }: BreakdownPart,
): Omit<Breakdown, keyof Completeness> {
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
