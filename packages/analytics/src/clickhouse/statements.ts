/** The queries to ClickHouse. Columns come from the closed list of dimensions; every value is a parameter. */
import type { ClickHouseRow, Parameters } from "@hopline/clickhouse/clickhouse-client";
import { DAY_MS } from "../calendar.ts";
import { columnOf, type Dimension, DIMENSIONS, type Filter } from "../dimension.ts";
import type {
  Breakdown,
  BreakdownPart,
  ClicksPart,
  Counts,
  ListedClick,
  Question,
  SeriesPart,
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
  const { fromMs, toMs } = range;
  const touched = days.filter((day) => Date.parse(day) < toMs && Date.parse(day) + DAY_MS > fromMs);
  const startsMs = touched.map((day) => Date.parse(day));
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
  return values.includes(null)
    ? `(${isIn(column, "String", known)} OR isNull(${column}) OR ${column} = '')`
    : isIn(column, "String", known);
}

const visitorsOf = (visitors: boolean): string => (visitors ? "uniqExact(visitor)" : "0");

/** Epoch seconds. Buckets start on quarters of an hour, in every zone; only the first may start at any instant. */
const toQuarter = (startMs: number): number => Math.floor(startMs / QUARTER_MS) * (QUARTER_MS / 1_000);

/** Visitors are counted day by day: the key of their hash changes with it, and small sets are faster. */
export function countSeries({ question, startsMs, visitors }: Omit<SeriesPart, "kind">, scope: Scope): Query {
  const { parameters, add } = createParameters();
  const start = `roundDown(toUnixTimestamp(quarter), ${add("Array(UInt32)", startsMs.map(toQuarter))})`;
  return {
    text: `SELECT start, sum(n) AS clicks, sum(seen) AS visitors FROM (
        SELECT ${start} AS start, count() AS n, ${visitorsOf(visitors)} AS seen FROM clicks AS click
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

/** What Postgres counted on other days. Added before the largest values are picked. */
export type OtherValues = { readonly breakdowns: readonly Breakdown[] };

export function countValues(part: BreakdownPart, scope: Scope, { breakdowns }: OtherValues): Query {
  const { parameters, add } = createParameters();
  const { question, dimension, limit, search, visitors } = part;
  const where = toWhere(question, scope, add);
  const others = breakdowns.flatMap(({ values }) => values);
  const column = <Cell>(pick: (value: (typeof others)[number]) => Cell) => others.map(pick);
  const other = `SELECT nullIf(tupleElement(one, 1), '') AS value, tupleElement(one, 2) AS n, tupleElement(one, 3) AS seen
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
      )})) AS one)`;
  const isId = dimension === "link" || dimension === "domain";
  // Ids become text after they are counted.
  const counted = `SELECT ${isId ? "toString(raw)" : "raw"} AS value, n, seen FROM (
      SELECT ${isId ? columnOf(dimension) : valueOf(dimension)} AS raw, count() AS n, ${visitorsOf(visitors)} AS seen
      FROM clicks AS click ${dimension === "tag" ? joinTags(scope.names, add) : ""} WHERE ${where} GROUP BY raw
    )`;
  const matching = search === "" ? "1" : isMatching(part, scope.names, add);
  const elsewhere = breakdowns.reduce((sum, { totalClicks }) => sum + totalClicks, 0);
  // A click counts for each of its link's tags.
  const total =
    dimension === "tag"
      ? `(SELECT count() FROM clicks AS click WHERE ${where}) + ${add("UInt64", elsewhere)}`
      : "sum(sum(n)) OVER ()";
  return {
    text: `SELECT value, clicks, visitors, sum(clicks) OVER () AS matching_clicks, count() OVER () AS matching_values, total_clicks
      FROM (
        SELECT value, sum(n) AS clicks, sum(seen) AS visitors, ${total} AS total_clicks
        FROM (${counted} UNION ALL ${other}) GROUP BY value
      )
      WHERE clicks > 0 AND ${matching} ORDER BY clicks DESC, value ASC NULLS LAST LIMIT ${add("UInt32", limit)}`,
    parameters,
  };
}

function valueOf(dimension: Dimension): string {
  if (dimension === "tag") {
    return "nullIf(tag, '')";
  }
  return dimension === "link" || dimension === "domain"
    ? `toString(${columnOf(dimension)})`
    : `nullIf(toString(${columnOf(dimension)}), '')`;
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

function isMatching({ dimension, search }: BreakdownPart, names: Names, add: Add): string {
  return dimension === "link" || dimension === "domain"
    ? `ifNull(value IN ${add("Array(String)", names.matching(dimension, search))}, 0)`
    : `ifNull(positionUTF8(lowerUTF8(value), lowerUTF8(${add("String", search)})) > 0, 0)`;
}

/** Without labels, which Postgres has. */
export function readValues(rows: readonly ClickHouseRow[], visitors: boolean): Omit<Breakdown, "complete"> {
  const values = rows.map((row) => ({
    ...toCounts(row),
    ...(visitors ? {} : { visitors: null }),
    value: typeof row["value"] === "string" ? row["value"] : null,
    label: null,
  }));
  const [first = {}] = rows;
  return {
    values,
    otherClicks: Number(first["matching_clicks"] ?? 0) - values.reduce((sum, { clicks }) => sum + clicks, 0),
    otherValues: Number(first["matching_values"] ?? 0) - values.length,
    totalClicks: Number(first["total_clicks"] ?? 0),
  };
}

const LISTED = DIMENSIONS.filter((dimension): dimension is Exclude<Dimension, "tag"> => dimension !== "tag");

/** An alias that is a column's name would be meant by the conditions, too. */
const LISTED_PREFIX = "listed_";

/**
 * Event ids are compared as text, as everywhere else: ClickHouse's own order of UUIDs is another. The order begins like the table's
 * key, so that it stops reading at the limit.
 */
export function listClicks({ question, after, limit }: ClicksPart, scope: Scope): Query {
  const { parameters, add } = createParameters();
  const columns = LISTED.map((dimension) => `${valueOf(dimension)} AS ${LISTED_PREFIX}${dimension}`);
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
      ORDER BY workspace_id DESC, toStartOfHour(clicked_at) DESC, clicked_at DESC, id DESC LIMIT ${add("UInt32", limit)}`,
    parameters,
  };
}

export function readClicks(rows: readonly ClickHouseRow[]): readonly ListedClick[] {
  return rows.map((row) => ({
    eventId: String(row["id"]),
    atUs: String(row["at_us"]),
    values: new Map(
      LISTED.map((dimension) => {
        const cell = row[LISTED_PREFIX + dimension];
        return [dimension, typeof cell === "string" ? cell : null];
      }),
    ),
  }));
}

function toCounts(row: ClickHouseRow): { readonly clicks: number; readonly visitors: number } {
  return { clicks: Number(row["clicks"] ?? 0), visitors: Number(row["visitors"] ?? 0) };
}
