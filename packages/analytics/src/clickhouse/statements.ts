/** The queries to ClickHouse. Columns come from the closed list of dimensions; every value is a parameter. */
import type { ClickHouseRow, Parameters } from "@hopline/clickhouse/clickhouse-client";
import { DAY_MS } from "../calendar.ts";
import {
  CLICK_DIMENSIONS,
  type ClickDimension,
  columnOf,
  type Dimension,
  type Filter,
  PLACES,
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
import type { Names } from "./names.ts";

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

type Scope = {
  readonly names: Names;
  /** Of the sealed days. */
  readonly days: readonly string[];
};

const at = (add: Add, atMs: number): string => `fromUnixTimestamp64Milli(${add("Int64", atMs)}, 'UTC')`;

/**
 * WHERE: the clicks of the question on sealed days. `indexHint` finds the parts of the table by its key; the rows in them are chosen
 * by `workspace` and `quarter`, which say the same as the key's columns and are read many times faster.
 */
function toWhere({ workspaceId, range, filters }: Question, { names, days }: Scope, add: Add): string {
  const touched = days.filter(
    (day) => Date.parse(day) < range.toMs && Date.parse(day) + DAY_MS > range.fromMs,
  );
  if (touched.length === 0) {
    return "0";
  }
  const startsMs = touched.map((day) => Date.parse(day));
  const fromMs = Math.max(range.fromMs, Math.min(...startsMs));
  const toMs = Math.min(range.toMs, Math.max(...startsMs) + DAY_MS);
  const key = [
    `workspace_id = ${add("UUID", workspaceId)}`,
    `clicked_at >= ${at(add, fromMs)} AND clicked_at < ${at(add, toMs)}`,
  ];
  return [
    `indexHint(${key.join(" AND ")})`,
    `workspace = ${add("String", workspaceId)}`,
    `toDate(quarter) IN ${add("Array(Date)", touched)}`,
    // A range that begins or ends within a day.
    ...(startsMs.some((startMs) => startMs < fromMs) ? [edge(">=", fromMs, add)] : []),
    ...(startsMs.some((startMs) => startMs + DAY_MS > toMs) ? [edge("<", toMs, add)] : []),
    ...filters.flatMap((filter) => toConditions(filter, names, add)),
  ].join(" AND ");
}

const edge = (is: "<" | ">=", atMs: number, add: Add): string =>
  atMs % QUARTER_MS === 0
    ? `quarter ${is} toDateTime(${add("UInt32", atMs / 1_000)}, 'UTC')`
    : `clicked_at ${is} ${at(add, atMs)}`;

function toConditions({ dimension, is, isNot }: Filter, names: Names, add: Add): readonly string[] {
  return [
    ...(is.length === 0 ? [] : [isAmong(dimension, is, names, add)]),
    ...(isNot.length === 0 ? [] : [`NOT ${isAmong(dimension, isNot, names, add)}`]),
  ];
}

/** 0 or 1, never NULL, so that NOT means the rest. */
function isAmong(dimension: Dimension, values: readonly (string | null)[], names: Names, add: Add): string {
  const known = values.filter((value) => value !== null);
  const isIn = (column: string, type: string, list: readonly string[]) =>
    list.length === 0 ? "0" : `ifNull(${column} IN ${add(`Array(${type})`, list)}, 0)`;
  if (dimension === "link") {
    return isIn("link_id", "UUID", known);
  }
  if (dimension === "tag") {
    return isIn("link_id", "UUID", names.linksOf(values));
  }
  if (dimension === "domain") {
    const ids = [...names.domainsOf(known), ...known.filter((value) => UUID.test(value))];
    const isKnown = isIn("domain_id", "UUID", ids);
    return values.includes(null) ? `(isNull(domain_id) OR ${isKnown})` : isKnown;
  }
  const column = columnOf(dimension);
  const place = PLACES[dimension];
  // A place's own name means every place of that name. It is compared first: it is read faster than the whole is made.
  const isPlace =
    place === undefined
      ? []
      : [
          `(${isIn(
            column,
            "String",
            known.map((value) => value.slice(value.indexOf(place.separator) + 1)),
          )} AND ${isIn(place.value(String.raw), "String", known)})`,
        ];
  return `(${[isIn(column, "String", known), ...isPlace, ...(values.includes(null) ? [`isNull(${column})`, `${column} = ''`] : [])].join(" OR ")})`;
}

const visitorsOf = (visitors: boolean): string => (visitors ? "uniqExact(visitor)" : "0");

/** Epoch seconds. Buckets start on quarters of an hour, in every zone; only the first may start at any instant. */
const toQuarter = (startMs: number): number => Math.floor(startMs / QUARTER_MS) * (QUARTER_MS / 1_000);

/** The start of a click's bucket. */
function startOf(startsMs: readonly number[], add: Add): string {
  const [only = 0, ...more] = startsMs.map(toQuarter);
  return more.length === 0
    ? add("UInt32", only)
    : `roundDown(toUnixTimestamp(quarter), ${add("Array(UInt32)", [only, ...more])})`;
}

/** Visitors are counted day by day: the key of their hash changes with it, and small sets are faster. */
export function countSeries({ question, startsMs, visitors }: Omit<SeriesPart, "kind">, scope: Scope): Query {
  const { parameters, add } = createParameters();
  return {
    text: `SELECT start, sum(n) AS clicks, sum(seen) AS visitors FROM (
        SELECT ${startOf(startsMs, add)} AS start, count() AS n, ${visitorsOf(visitors)} AS seen FROM clicks AS click
        WHERE ${toWhere(question, scope, add)} GROUP BY start${visitors ? ", toDate(quarter)" : ""}
      ) GROUP BY start`,
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
  const where = toWhere(question, scope, add);
  const others = breakdowns.flatMap(({ values }) => values).flatMap((value) => cutByStart(value, part));
  const column = <Cell>(pick: (value: (typeof others)[number]) => Cell) => others.map(pick);
  const other = `SELECT nullIf(tupleElement(one, 1), '') AS value, tupleElement(one, 2) AS n, tupleElement(one, 3) AS seen,
      tupleElement(one, 4) AS start
    FROM (SELECT arrayJoin(arrayZip(${add(
      "Array(String)",
      column(({ value }) => value ?? ""),
    )},
      ${add(
        "Array(UInt64)",
        column(({ clicks }) => clicks),
      )},
      ${add(
        "Array(UInt64)",
        column(({ visitors: seen }) => seen ?? 0),
      )},
      ${add(
        "Array(UInt32)",
        column(({ start: begin }) => begin),
      )})) AS one)`;
  const value = valueOf(dimension);
  // Values become text, and links their tags, after clicks are counted by columns. Visitors cannot be added up over columns of the
  // same text, nor over links.
  const [columns, text] = visitors ? [`${value} AS value`, "value"] : [columnsOf(dimension), value];
  const groups = visitors ? "value" : columns;
  const start = startsMs === undefined ? "0" : startOf(startsMs, add);
  const tags = dimension === "tag" ? joinTags(scope.names, add) : "";
  const counted = `SELECT ${text} AS value, n, seen, CAST(bucket, 'UInt32') AS start FROM (
      SELECT ${columns}, count() AS n, ${visitorsOf(visitors)} AS seen, ${start} AS bucket
      FROM clicks AS click ${visitors ? tags : ""} WHERE ${where} GROUP BY ${groups}, bucket
    ) AS click ${visitors ? "" : tags}`;
  const matching = search === "" ? "1" : isMatching(part, scope.names, add);
  const elsewhere = breakdowns.reduce((sum, { totalClicks }) => sum + totalClicks, 0);
  // A click counts for each of its link's tags.
  const total =
    dimension === "tag"
      ? `(SELECT count() FROM clicks AS click WHERE ${where}) + ${add("UInt64", elsewhere)}`
      : "sum(sum(n)) OVER ()";
  return {
    text: `SELECT value, clicks, visitors, sum(clicks) OVER () AS matching_clicks, count() OVER () AS matching_values, total_clicks,
        points, ${startsMs === undefined ? "NULL" : "sumMap(points) OVER ()"} AS all_points
      FROM (
        SELECT value, sum(n) AS clicks, sum(seen) AS visitors, ${total} AS total_clicks,
          ${startsMs === undefined ? "NULL" : "sumMap(map(start, n))"} AS points
        FROM (${counted} UNION ALL ${other}) GROUP BY value
      )
      WHERE clicks > 0 AND ${matching} ORDER BY clicks DESC, value ASC NULLS LAST LIMIT ${add("UInt32", limit)}`,
    parameters,
  };
}

function cutByStart(value: ValueCount, { startsMs }: BreakdownPart) {
  return startsMs === undefined
    ? [{ ...value, start: 0 }]
    : startsMs
        .map((startMs, index) => ({ ...value, clicks: value.points[index] ?? 0, start: toQuarter(startMs) }))
        .filter(({ clicks }) => clicks > 0);
}

/** What the text of a value is made of. */
function columnsOf(dimension: Dimension): string {
  const place = { region: "country, region", city: "country, region, city" }[String(dimension)];
  return dimension === "tag" ? "link_id" : (place ?? columnOf(dimension));
}

function valueOf(dimension: Dimension): string {
  return dimension === "tag" ? "nullIf(tag, '')" : toText(dimension, PLACES[dimension]?.value(String.raw));
}

function toText(dimension: ClickDimension, value = columnOf(dimension)): string {
  return dimension === "link" || dimension === "domain"
    ? `toString(${value})`
    : `nullIf(toString(${value}), '')`;
}

/** A row for each tag of the link; one with an empty tag for a link without. */
function joinTags({ taggedLinks }: Names, add: Add): string {
  const links = add(
    "Array(UUID)",
    taggedLinks.map(([link]) => link),
  );
  const tags = add(
    "Array(String)",
    taggedLinks.map(([, tag]) => tag),
  );
  return `LEFT JOIN (
      SELECT tupleElement(one, 1) AS tagged_link, tupleElement(one, 2) AS tag FROM (SELECT arrayJoin(arrayZip(${links}, ${tags})) AS one)
    ) AS tagged ON tagged.tagged_link = click.link_id`;
}

function isMatching({ dimension, search = "" }: BreakdownPart, names: Names, add: Add): string {
  return dimension === "link" || dimension === "domain"
    ? `ifNull(value IN ${add("Array(String)", names.matching(dimension, search))}, 0)`
    : `ifNull(positionUTF8(lowerUTF8(value), lowerUTF8(${add("String", search)})) > 0, 0)`;
}

/** Without labels, which Postgres has. */
export function readValues(
  rows: readonly ClickHouseRow[],
  { visitors = false, startsMs = [] }: BreakdownPart,
): Omit<Breakdown, "complete"> {
  const toPoints = (cell: unknown) => {
    const byStart = new Map(typeof cell === "object" && cell !== null ? Object.entries(cell) : []);
    return startsMs.map((startMs) => Number(byStart.get(String(toQuarter(startMs))) ?? 0));
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
  const columns = CLICK_DIMENSIONS.map((dimension) => `${toText(dimension)} AS ${LISTED_PREFIX}${dimension}`);
  const conditions = [toWhere(question, scope, add)];
  if (after !== null) {
    const instant = `fromUnixTimestamp64Micro(${add("Int64", /^\d{1,16}$/.test(after.atUs) ? after.atUs : "0")}, 'UTC')`;
    conditions.push(`clicked_at <= ${instant}`);
    conditions.push(`(clicked_at < ${instant} OR toString(event_id) < ${add("String", after.eventId)})`);
  }
  return {
    text: `SELECT toString(event_id) AS id, toString(toUnixTimestamp64Micro(toDateTime64(clicked_at, 6, 'UTC'))) AS at_us,
        ${columns.join(", ")}
      FROM clicks AS click WHERE ${conditions.join(" AND ")}
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
