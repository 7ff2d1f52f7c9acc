/** The queries to ClickHouse. Columns come from the closed list of dimensions; every value is a parameter. */
import type { ClickHouseRow, Parameters } from "@hopline/clickhouse/clickhouse-client";
import {
  CLICK_DIMENSIONS,
  type ClickDimension,
  columnOf,
  type Dimension,
  type Filter,
} from "../dimension.ts";
import {
  type Breakdown,
  type BreakdownPart,
  type ClicksPart,
  type Counts,
  type ListedClick,
  type Question,
  type SeriesPart,
  subtractPoints,
  type ValueCount,
} from "../engine.ts";
import { QUARTER_MS } from "../postgres/plan.ts";
import type { InstantRange } from "../range.ts";
import type { Names } from "./names.ts";
import { type Days, rangesOf } from "./sealed-days.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export type Query = { readonly text: string; readonly parameters: Parameters };

/** Collects the parameters of one query. */
function createParameters() {
  const parameters: Record<string, unknown> = {};
  return {
    parameters,
    add: (type: string, value: unknown): string => {
      const name = `p${Object.keys(parameters).length}`;
      parameters[name] = value;
      return `{${name}:${type}}`;
    },
  };
}

type Add = ReturnType<typeof createParameters>["add"];

type Scope = { readonly names: Names; readonly days: Days };

const toInstant = (add: Add, atMs: number): string =>
  `fromUnixTimestamp64Milli(${add("Int64", atMs)}, 'UTC')`;

/** WHERE: the clicks of the question on sealed days. */
function toWhere({ workspaceId, range, filters }: Question, { names, days }: Scope, add: Add): string {
  const ranges = rangesOf(true, range, days).map((one) => toRange(one, add));
  return [
    `workspace_id = ${add("UUID", workspaceId)}`,
    ranges.length === 0 ? "0" : `(${ranges.join(" OR ")})`,
    ...filters.flatMap((filter) => toConditions(filter, names, add)),
  ].join(" AND ");
}

/** `clicked_at` is read only where a range ends within a quarter of an hour. */
function toRange({ fromMs, toMs }: InstantRange, add: Add): string {
  return [
    `quarter >= toDateTime(${add("UInt32", toQuarter(fromMs))}, 'UTC')`,
    `quarter < toDateTime(${add("UInt32", toQuarter(toMs + QUARTER_MS - 1))}, 'UTC')`,
    ...(fromMs % QUARTER_MS === 0 ? [] : [`clicked_at >= ${toInstant(add, fromMs)}`]),
    ...(toMs % QUARTER_MS === 0 ? [] : [`clicked_at < ${toInstant(add, toMs)}`]),
  ].join(" AND ");
}

function toConditions({ dimension, is, isNot }: Filter, names: Names, add: Add): readonly string[] {
  return [
    ...(is.length === 0 ? [] : [isAmong(dimension, is, names, add)]),
    ...(isNot.length === 0 ? [] : [`NOT (${isAmong(dimension, isNot, names, add)})`]),
  ];
}

function isAmong(dimension: Dimension, values: readonly (string | null)[], names: Names, add: Add): string {
  const known = values.filter((value) => value !== null);
  if (dimension === "link") {
    return isIn("link_id", "UUID", known, add);
  }
  if (dimension === "tag") {
    const links = names.linksOf(values).join(",");
    return links === "" ? "0" : `link_id IN (${toIds(add("String", links))})`;
  }
  if (dimension === "domain") {
    const none = values.includes(null) ? [NO_DOMAIN] : [];
    const ids = [...names.domainsOf(known), ...known.filter((value) => UUID.test(value)), ...none];
    return isIn("domain_id", "UUID", ids, add);
  }
  const texts = values.map((value) => value ?? "");
  const [column, place] = [columnOf(dimension), placeOf(dimension)];
  const own = isIn(column, "String", texts, add);
  // A place's own name means every place of that name.
  return place === column ? own : `(${own} OR ${isIn(place, "String", known, add)})`;
}

function isIn(column: string, type: string, list: readonly string[], add: Add): string {
  return list.length === 0 ? "0" : `${column} IN ${add(`Array(${type})`, list)}`;
}

/** Of a text that lists ids. Thousands are passed as one text several times as fast as one by one. */
const toIds = (text: string): string => `CAST(splitByChar(',', ${text}), 'Array(UUID)')`;

/** What ClickHouse has for a click without a domain. */
const NO_DOMAIN = "00000000-0000-0000-0000-000000000000";

/** The column of a value as answers have it. */
function placeOf(dimension: ClickDimension): string {
  return dimension === "region" || dimension === "city" ? `${dimension}_place` : columnOf(dimension);
}

/** Keys of the visitors that were seen. Counting a complete list takes less time than `uniqExact`, whose sets grow. */
const VISITORS = "groupArrayIf(visitor, visitor != 0)";
const NO_VISITORS = "emptyArrayInt64()";

/**
 * Questions read most rows of few columns. So all conditions are checked in one step, and blocks are large: both cost more where
 * most rows are skipped. Measured: a third of the time together.
 */
const SETTINGS =
  "SETTINGS enable_multiple_prewhere_read_steps = 0, max_block_size = 262144, preferred_block_size_bytes = 0";

/** Epoch seconds, from 1970 on. Buckets start on quarters of an hour, in every zone; only the first may start at any instant. */
const toQuarter = (startMs: number): number =>
  Math.max(0, Math.floor(startMs / QUARTER_MS) * (QUARTER_MS / 1_000));

/** The start of a click's bucket, in epoch seconds. */
function startOf(startsMs: readonly number[], add: Add): string {
  const starts = startsMs.map(toQuarter);
  return starts.length === 1
    ? add("UInt32", starts[0])
    : `roundDown(toUnixTimestamp(quarter), ${add("Array(UInt32)", starts)})`;
}

/** Visitors are counted day by day: the key of their hash changes with it, and small sets are faster. */
export function countSeries({ question, startsMs, visitors }: Omit<SeriesPart, "kind">, scope: Scope): Query {
  const { parameters, add } = createParameters();
  return {
    text: `SELECT start, sum(n) AS clicks, sum(seen) AS visitors FROM (
        SELECT ${startOf(startsMs, add)} AS start, count() AS n, ${visitors ? `arrayUniq(${VISITORS})` : "0"} AS seen
        FROM clicks WHERE ${toWhere(question, scope, add)} GROUP BY start${visitors ? ", toDate(quarter)" : ""}
      ) GROUP BY start ${SETTINGS}`,
    parameters,
  };
}

/** In the order of `startsMs`. */
export function readSeries(rows: readonly ClickHouseRow[], startsMs: readonly number[]): readonly Counts[] {
  const byStart = new Map(rows.map((row) => [Number(row["start"]), toCounts(row)]));
  return startsMs.map((startMs) => byStart.get(toQuarter(startMs)) ?? toCounts({}));
}

/** @param breakdowns what Postgres counted on other days. Added before the largest values are picked. */
export function countValues(part: BreakdownPart, scope: Scope, breakdowns: readonly Breakdown[]): Query {
  const { parameters, add } = createParameters();
  const { question, dimension, limit, search = "", visitors = false, startsMs } = part;
  const isOverTime = startsMs !== undefined;
  const others = breakdowns.flatMap(({ values }) => values).flatMap((value) => cutByStart(value, part));
  const other = table(add, {
    value: ["String", others.map(({ value }) => value ?? "")],
    n: ["UInt64", others.map(({ clicks }) => clicks)],
    seen: ["UInt64", others.map(({ visitors: seen }) => seen ?? 0)],
    start: ["UInt32", others.map(({ start }) => start)],
  });
  // Clicks are counted by columns; links become tags after that.
  const column = dimension === "tag" ? "link_id" : placeOf(dimension);
  const counted = `SELECT ${column} AS key, ${isOverTime ? startOf(startsMs, add) : "0"} AS start, count() AS n,
      ${visitors ? VISITORS : NO_VISITORS} AS visitor_keys, sum(n) OVER () AS all_clicks
    FROM clicks WHERE ${toWhere(question, scope, add)} GROUP BY key${isOverTime ? ", start" : ""}`;
  const tagged = table(add, {
    tag: ["String", scope.names.linksOfTags.map(({ tag }) => tag)],
    links: ["String", scope.names.linksOfTags.map(({ links }) => links)],
  });
  const texts =
    dimension === "tag"
      ? `SELECT tag AS text, sum(counted.n) AS n, 0 AS seen, start, groupArrayArray(counted.visitor_keys) AS visitor_keys,
          max(counted.all_clicks) AS all_clicks
        FROM (${counted}) AS counted LEFT JOIN (SELECT tag, arrayJoin(${toIds("links")}) AS link FROM (${tagged})) AS tagged
          ON toUUID(counted.key) = tagged.link GROUP BY text, start`
      : `SELECT ${textOf(dimension, "key")} AS text, n, 0 AS seen, start, visitor_keys, all_clicks FROM (${counted})`;
  const elsewhere = breakdowns.reduce((sum, { totalClicks }) => sum + totalClicks, 0);
  return {
    text: `SELECT nullIf(text, '') AS value, clicks, visitors, sum(clicks) OVER () AS matching_clicks,
        count() OVER () AS matching_values, total_clicks, points, ${isOverTime ? "sumMap(points.1, points.2) OVER ()" : "NULL"} AS all_points
      FROM (
        SELECT text, sum(n) AS clicks, sum(seen) + arrayUniq(groupArrayArray(visitor_keys)) AS visitors,
          max(max(all_clicks)) OVER () + ${add("UInt64", elsewhere)} AS total_clicks,
          ${isOverTime ? "(groupArray(start), groupArray(n))" : "NULL"} AS points
        FROM (
          ${texts}
          UNION ALL SELECT value, n, seen, start, ${NO_VISITORS}, 0 FROM (${other})
        ) GROUP BY text
      )
      WHERE clicks > 0 AND ${search === "" ? "1" : isMatching(part, scope.names, add)}
      ORDER BY clicks DESC, value ASC NULLS LAST LIMIT ${add("UInt32", limit)} ${SETTINGS}`,
    parameters,
  };
}

/** Rows that are given as columns. */
function table(
  add: Add,
  columns: Readonly<Record<string, readonly [type: string, values: readonly unknown[]]>>,
): string {
  const names = Object.keys(columns).map((name, index) => `row.${index + 1} AS ${name}`);
  const lists = Object.values(columns).map(([type, values]) => add(`Array(${type})`, values));
  return `SELECT ${names.join(", ")} FROM (SELECT arrayJoin(arrayZip(${lists.join(", ")})) AS row)`;
}

function cutByStart(value: ValueCount, { startsMs }: BreakdownPart) {
  return startsMs === undefined
    ? [{ ...value, start: 0 }]
    : startsMs
        .map((startMs, index) => ({ ...value, clicks: value.points[index] ?? 0, start: toQuarter(startMs) }))
        .filter(({ clicks }) => clicks > 0);
}

/** Empty for unknown. */
function textOf(dimension: ClickDimension, column: string): string {
  return dimension === "domain"
    ? `if(toUUID(${column}) = toUUID('${NO_DOMAIN}'), '', toString(${column}))`
    : `toString(${column})`;
}

function isMatching({ dimension, search = "" }: BreakdownPart, names: Names, add: Add): string {
  return dimension === "link" || dimension === "domain"
    ? isIn("text", "String", names.matching(dimension, search), add)
    : `positionUTF8(lowerUTF8(text), lowerUTF8(${add("String", search)})) > 0`;
}

/** Without labels, which Postgres has. */
export function readValues(
  rows: readonly ClickHouseRow[],
  { visitors = false, startsMs = [] }: BreakdownPart,
): Omit<Breakdown, "complete"> {
  // Two lists, of starts and of clicks. A start may be there twice: from ClickHouse, and from Postgres.
  const toPoints = (cell: unknown) => {
    const [starts = [], clicks = []]: readonly (readonly unknown[])[] = Array.isArray(cell) ? cell : [];
    const byStart = new Map<number, number>();
    for (const [index, start] of starts.entries()) {
      byStart.set(Number(start), (byStart.get(Number(start)) ?? 0) + Number(clicks[index]));
    }
    return startsMs.map((startMs) => byStart.get(toQuarter(startMs)) ?? 0);
  };
  const values = rows.map((row) => ({
    ...toCounts(row),
    ...(visitors ? {} : { visitors: null }),
    value: typeof row["value"] === "string" ? row["value"] : null,
    label: null,
    points: toPoints(row["points"]),
  }));
  const [first = {}] = rows;
  return {
    values,
    otherClicks: Number(first["matching_clicks"] ?? 0) - values.reduce((sum, { clicks }) => sum + clicks, 0),
    otherValues: Number(first["matching_values"] ?? 0) - values.length,
    otherPoints: subtractPoints(toPoints(first["all_points"]), values),
    totalClicks: Number(first["total_clicks"] ?? 0),
  };
}

/** An alias that is a column's name would be meant by the conditions, too. */
const LISTED_PREFIX = "listed_";

/** Event ids are compared as text, as everywhere else: ClickHouse's own order of UUIDs is another. */
export function listClicks({ question, after, limit }: ClicksPart, scope: Scope): Query {
  const { parameters, add } = createParameters();
  const columns = CLICK_DIMENSIONS.map(
    (dimension) => `nullIf(${textOf(dimension, columnOf(dimension))}, '') AS ${LISTED_PREFIX}${dimension}`,
  );
  const conditions = [toWhere(question, scope, add)];
  if (after !== null) {
    const instant = `fromUnixTimestamp64Micro(${add("Int64", /^\d{1,16}$/.test(after.atUs) ? after.atUs : "0")}, 'UTC')`;
    conditions.push(`clicked_at <= ${instant}`);
    conditions.push(`(clicked_at < ${instant} OR toString(event_id) < ${add("String", after.eventId)})`);
  }
  return {
    text: `SELECT toString(event_id) AS id, toString(toUnixTimestamp64Micro(toDateTime64(clicked_at, 6, 'UTC'))) AS at_us,
        ${columns.join(", ")}
      FROM clicks WHERE ${conditions.join(" AND ")}
      ORDER BY clicked_at DESC, id DESC LIMIT ${add("UInt32", limit)}`,
    parameters,
  };
}

export function readClicks(rows: readonly ClickHouseRow[]): readonly ListedClick[] {
  return rows.map((row) => ({
    eventId: String(row["id"]),
    atUs: String(row["at_us"]),
    values: new Map(
      CLICK_DIMENSIONS.map((dimension) => {
        const cell = row[LISTED_PREFIX + dimension];
        return [dimension, typeof cell === "string" ? cell : null];
      }),
    ),
  }));
}

function toCounts(row: ClickHouseRow): { readonly clicks: number; readonly visitors: number } {
  return { clicks: Number(row["clicks"] ?? 0), visitors: Number(row["visitors"] ?? 0) };
}
