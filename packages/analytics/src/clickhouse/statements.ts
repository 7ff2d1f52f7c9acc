/** The queries to ClickHouse. Columns come from the closed list of dimensions; every value is a parameter. */
import type { ClickHouseRow, Parameters } from "@hopline/clickhouse/clickhouse-client";
import { SELECT_DAYS, type WantedDays } from "@hopline/clickhouse/day-fingerprint";
import { QUARTER_MS } from "../calendar.ts";
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
  type Completeness,
  type Counts,
  type ListedClick,
  type Question,
  type SeriesPart,
  subtractPoints,
} from "../engine.ts";
import type { InstantRange } from "../range.ts";
import type { Names } from "./names.ts";
import { type Days, rangesOf } from "./sealed-days.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** What ClickHouse has for what a click lacks. */
const NONE = "";

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

type Scope = { readonly names: Names; readonly days: Days; readonly wanted: WantedDays };

/**
 * With what the days hold in rows of their own, which have a `day`. One statement reads one snapshot of the table, so its counts are of
 * exactly these clicks. (The parts of a distributed table have a snapshot for each of the two, some milliseconds apart.)
 *
 * @param nothing for each column of the query.
 */
function withDays({ text, parameters }: Query, nothing: readonly string[], { wanted }: Scope): Query {
  return {
    text: `SELECT '' AS day, 0 AS found, '' AS fingerprint, * FROM (${text})
      UNION ALL SELECT day, clicks, fingerprint, ${nothing.join(", ")} FROM (${SELECT_DAYS})`,
    parameters: { ...parameters, ...wanted },
  };
}

const toInstant = (add: Add, atMs: number): string =>
  `fromUnixTimestamp64Milli(${add("Int64", atMs)}, 'UTC')`;

/**
 * PREWHERE and WHERE: the clicks of the question on sealed days. With the filters in PREWHERE, the key's columns are read only for
 * rows that pass; read together with the filters' columns, they cost a fifth of the time. The primary index is used either way.
 */
function chooseClicks({ workspaceId, range, filters }: Question, { names, days }: Scope, add: Add): string {
  const ranges = rangesOf(true, range, days).map((one) => toRange(one, add));
  const conditions = filters.flatMap((filter) => toConditions(filter, names, add));
  const where = `WHERE workspace_id = ${add("UUID", workspaceId)} AND ${ranges.length === 0 ? "0" : `(${ranges.join(" OR ")})`}`;
  return `${conditions.length === 0 ? "" : `PREWHERE ${conditions.join(" AND ")} `}${where}`;
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
  const texts = values.map((value) => value ?? NONE);
  if (dimension === "tag") {
    return isInIds("link_id", names.linksOf(values));
  }
  if (dimension === "domain") {
    const ids = texts.filter((value) => value === NONE || UUID.test(value));
    return isIn("domain_id", [...names.domainsOf(known), ...ids], add);
  }
  const [column, place] = [columnOf(dimension), placeOf(dimension)];
  const own = isIn(column, texts, add);
  // A place's own name means every place of that name.
  return place === column ? own : `(${own} OR ${isIn(place, known, add)})`;
}

function isIn(column: string, list: readonly string[], add: Add): string {
  return list.length === 0 ? "0" : `${column} IN ${add("Array(String)", list)}`;
}

/** @param ids or lists of them, with commas between. */
function isInIds(column: string, ids: readonly string[]): string {
  return ids.length === 0 ? "0" : `${column} IN (${toIds(toLiteral(ids.join(",")))})`;
}

/** Of a text that lists ids. Thousands are passed as one text several times as fast as one by one. */
const toIds = (text: string): string => `splitByChar(',', ${text})`;

/** Ids, with commas between. Not a parameter: the client takes 30 bytes of memory and 90 ns for each character of those. */
function toLiteral(ids: string): string {
  if (!/^[0-9a-f,-]*$/.test(ids)) {
    throw new Error("invariant: ids of links are hexadecimal");
  }
  return `'${ids}'`;
}

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
  return `roundDown(toUnixTimestamp(quarter), ${add("Array(UInt32)", startsMs.map(toQuarter))})`;
}

/** Visitors are counted day by day: the key of their hash changes with it, and small sets are faster. */
function countVisitors({ question, startsMs }: SeriesPart, scope: Scope): Query {
  const { parameters, add } = createParameters();
  const text = `SELECT 1 AS list, start AS value, sum(n) AS clicks, sum(seen) AS visitors FROM (
        SELECT ${startOf(startsMs, add)} AS start, count() AS n, arrayUniq(${VISITORS}) AS seen
        FROM clicks ${chooseClicks(question, scope, add)} GROUP BY start, toDate(quarter)
      ) GROUP BY start ${SETTINGS}`;
  return withDays({ text, parameters }, ["0", "0", "0", "0"], scope);
}

/** In the order of `startsMs`. */
export function readSeries(rows: readonly ClickHouseRow[], startsMs: readonly number[]): readonly Counts[] {
  const byStart = new Map(rows.map((row) => [Number(row["value"]), toCounts(row)]));
  return startsMs.map((startMs) => byStart.get(toQuarter(startMs)) ?? toCounts({}));
}

/** The number of a click's bucket, from 1. A list of counts for each value takes a third of the time of pairs of value and bucket. */
function bucketOf(startsMs: readonly number[], add: Add): string {
  const starts = add("Array(UInt32)", startsMs.map(toQuarter));
  return `transform(roundDown(toUnixTimestamp(quarter), ${starts}), ${starts}, arrayEnumerate(${starts}), 0)`;
}

/** What one statement counts. */
export type List = {
  readonly part: SeriesPart | BreakdownPart;
  /** Of a breakdown: what Postgres counted on other days. Added before the largest values are picked. */
  readonly breakdowns: readonly Breakdown[];
};

/**
 * Lists that only count clicks, and the same ones, share a statement; others are counted alone. No two lists of a statement have
 * the same key: equal grouping sets would count into one.
 */
export function groupLists(lists: readonly List[]): readonly (readonly [List, ...List[]])[] {
  const groups = new Map<string, [List, ...List[]]>();
  const seen = new Map<string, number>();
  for (const [index, list] of lists.entries()) {
    const { part } = list;
    const isAlone =
      part.visitors === true ||
      (part.kind === "breakdown" &&
        (part.dimension === "tag" || part.startsMs !== undefined || part.search !== undefined));
    const by = part.kind === "series" ? part.startsMs.map(toQuarter) : part.dimension;
    const same = JSON.stringify([part.question, by]);
    const count = (seen.get(same) ?? 0) + 1;
    seen.set(same, count);
    const key = JSON.stringify(isAlone ? index : [part.question, count]);
    const [first = list, ...more] = groups.get(key) ?? [];
    groups.set(key, first === list ? [list] : [first, ...more, list]);
  }
  return [...groups.values()];
}

/** @param lists of one group: most of a statement's time goes into choosing the clicks, which is done once. */
export function countLists(lists: readonly [List, ...List[]], scope: Scope): Query {
  const [{ part }] = lists;
  const { visitors = false } = part;
  if (part.kind === "series" && visitors) {
    return countVisitors(part, scope);
  }
  const { parameters, add } = createParameters();
  const keys = lists.map((one, index) => keyOf(one.part, `key_${index}`, add));
  const texts = keys.map(({ text }) => text).join(", ");
  const isOne = keys.length === 1;
  const list = isOne
    ? "1"
    : `indexOf([${keys.map((_key, index) => `grouping(key_${index})`).join(", ")}], 0)`;
  const groups = isOne
    ? "key_0"
    : `GROUPING SETS (${keys.map((_key, index) => `(key_${index})`).join(", ")})`;
  const ofList = isOne ? "OVER ()" : "OVER (PARTITION BY list)";
  const points =
    part.kind === "series" || part.startsMs === undefined
      ? "emptyArrayUInt64()"
      : `countResample(1, ${part.startsMs.length + 1}, 1)(${bucketOf(part.startsMs, add)})`;
  const counted = `SELECT ${keys.map(({ key }, index) => `${key} AS key_${index}`).join(", ")}, ${list} AS list, count() AS n,
      ${visitors ? VISITORS : NO_VISITORS} AS visitor_keys, ${points} AS points, sum(n) ${ofList} AS all_clicks
    FROM clicks ${chooseClicks(part.question, scope, add)} GROUP BY ${groups}`;
  const isTag = part.kind === "breakdown" && part.dimension === "tag";
  const elsewhere = lists.map(({ breakdowns }) =>
    breakdowns.reduce((sum, { totalClicks }) => sum + totalClicks, 0),
  );
  const limits = lists.map((one) => (one.part.kind === "series" ? one.part.startsMs.length : one.part.limit));
  const text = `SELECT list, nullIf(text, '') AS value, clicks, visitors, sum(clicks) ${ofList} AS matching_clicks,
        count() ${ofList} AS matching_values, total_clicks, points, sumForEach(points) ${ofList} AS all_points
      FROM (
        SELECT list, text, sum(n) AS clicks, sum(seen) + arrayUniq(groupArrayArray(visitor_keys)) AS visitors,
          max(max(all_clicks)) ${ofList} + ${add("Array(UInt64)", elsewhere)}[list] AS total_clicks,
          sumForEach(points) AS points
        FROM (
          SELECT list, ${isOne ? texts : `[${texts}][list]`} AS text, n, 0 AS seen, visitor_keys, points, all_clicks
          FROM (${counted}) AS counted ${isTag ? `LEFT JOIN (${linksOfTags(scope.names, add)}) AS tagged ON key_0 = link` : ""}
          UNION ALL SELECT list, value, n, seen, ${NO_VISITORS}, points, 0 FROM (${valuesElsewhere(lists, add)})
        ) GROUP BY list, text
      )
      WHERE clicks > 0 AND ${part.kind === "series" ? "1" : isMatching(part, scope.names, add)}
      ${LARGEST_FIRST} LIMIT ${Math.max(...limits)}${isOne ? "" : " BY list"} ${SETTINGS}`;
  const nothing = ["0", "NULL", "0", "0", "0", "0", "0", "[]", "[]"];
  const query = withDays({ text, parameters }, nothing, scope);
  return { ...query, text: `SELECT * FROM (${query.text}) ${LARGEST_FIRST}` };
}

/** Also after a UNION ALL, which promises no order. */
const LARGEST_FIRST = "ORDER BY list, clicks DESC, value ASC NULLS LAST";

type Key = {
  /** What clicks are counted by. */
  readonly key: string;
  /** The value of an answer. */
  readonly text: string;
};

/** Clicks are counted by link, and links become tags after that. ClickHouse is slow where an empty text is a key. */
function keyOf(part: List["part"], name: string, add: Add): Key {
  if (part.kind === "series") {
    return { key: startOf(part.startsMs, add), text: `toString(${name})` };
  }
  if (part.dimension === "link" || part.dimension === "tag") {
    return { key: "link_id", text: part.dimension === "tag" ? "tag" : name };
  }
  return { key: `concat('=', ${placeOf(part.dimension)})`, text: `substring(${name}, 2)` };
}

function valuesElsewhere(lists: readonly List[], add: Add): string {
  const values = lists.flatMap(({ breakdowns }, index) =>
    breakdowns.flatMap((one) => one.values.map((value) => ({ ...value, list: index + 1 }))),
  );
  const column = (type: string, of: (value: (typeof values)[number]) => unknown): string =>
    add(`Array(${type})`, values.map(of));
  return table({
    list: column("UInt64", ({ list }) => list),
    value: column("String", ({ value }) => value ?? NONE),
    n: column("UInt64", ({ clicks }) => clicks),
    seen: column("UInt64", ({ visitors }) => visitors ?? 0),
    points: column("Array(UInt64)", ({ points }) => points),
  });
}

/** The rows of one of the lists that were counted together. */
export function rowsOfList(rows: readonly ClickHouseRow[], index: number): readonly ClickHouseRow[] {
  return rows.filter(({ list }) => Number(list) === index + 1);
}

function linksOfTags({ linksOfTags: tags }: Names, add: Add): string {
  const names = tags.map(({ tag }) => tag);
  const links = tags.map((one) => toIds(toLiteral(one.links))).join(", ");
  const tagged = table({
    tag: add("Array(String)", names),
    links: `CAST([${links}], 'Array(Array(String))')`,
  });
  return `SELECT tag, arrayJoin(links) AS link FROM (${tagged})`;
}

/** SELECT of rows, from an array for each column. */
function table(columns: Readonly<Record<string, string>>): string {
  const names = Object.keys(columns).map((name, index) => `row.${index + 1} AS ${name}`);
  const arrays = Object.values(columns).join(", ");
  return `SELECT ${names.join(", ")} FROM (SELECT arrayJoin(arrayZip(${arrays})) AS row)`;
}

function isMatching({ dimension, search = "" }: BreakdownPart, names: Names, add: Add): string {
  if (search === "") {
    return "1";
  }
  return dimension === "link" || dimension === "domain"
    ? isInIds("text", names.matching(dimension, search))
    : `positionUTF8(lowerUTF8(text), lowerUTF8(${add("String", search)})) > 0`;
}

/** Without labels, which Postgres has. */
export function readValues(
  rows: readonly ClickHouseRow[],
  { limit, visitors = false, startsMs = [] }: BreakdownPart,
): Omit<Breakdown, keyof Completeness> {
  const toPoints = (cell: unknown) => {
    const points: readonly unknown[] = Array.isArray(cell) ? cell : [];
    return startsMs.map((_start, index) => Number(points[index] ?? 0));
  };
  const values = rows.slice(0, limit).map((row) => ({
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
    (dimension) => `nullIf(${columnOf(dimension)}, '') AS ${LISTED_PREFIX}${dimension}`,
  );
  const clauses = [chooseClicks(question, scope, add)];
  if (after !== null) {
    const instant = `fromUnixTimestamp64Micro(${add("Int64", /^\d{1,16}$/.test(after.atUs) ? after.atUs : "0")}, 'UTC')`;
    clauses.push(`clicked_at <= ${instant}`);
    clauses.push(`(clicked_at < ${instant} OR toString(event_id) < ${add("String", after.eventId)})`);
  }
  const text = `SELECT toString(event_id) AS id, toString(toUnixTimestamp64Micro(toDateTime64(clicked_at, 6, 'UTC'))) AS at_us,
        ${columns.join(", ")}
      FROM clicks ${clauses.join(" AND ")}
      ORDER BY clicked_at DESC, id DESC LIMIT ${add("UInt32", limit)}`;
  return withDays({ text, parameters }, ["''", "''", ...columns.map(() => "NULL")], scope);
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
