/** The queries to ClickHouse. Columns come from the closed list of dimensions; every value is a parameter. */
import type { ClickHouseRow, Parameters } from "@hopline/clickhouse/clickhouse-client";
import { QUARTER_MS } from "../calendar.ts";
import {
  BOUND,
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
import { partsOf, type Reading, selectProof } from "./proof.ts";

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

export type Scope = { readonly names: Names; readonly reading: Reading };

/**
 * With the proof in rows of their own, which have a `proof`. One statement reads one snapshot of the table, so its counts are of exactly
 * these clicks. (The parts of a distributed table have a snapshot for each of the two, some milliseconds apart.)
 *
 * @param nothing for each column of the query.
 */
function withProof({ text, parameters }: Query, nothing: readonly string[], { reading }: Scope): Query {
  return {
    text: `SELECT '' AS proof, 0 AS found, '' AS hashes, * FROM (${text})
      UNION ALL SELECT proof, found, hashes, ${nothing.join(", ")} FROM (${selectProof(reading)})`,
    parameters,
  };
}

const toInstant = (add: Add, atMs: number): string =>
  `fromUnixTimestamp64Milli(${add("Int64", atMs)}, 'UTC')`;

/**
 * SELECT of the clicks of the question. Those of quarters of an hour that may hold a click twice are read with FINAL, and apart, so that
 * what is counted of the others may come from a projection.
 *
 * With the filters in PREWHERE, the key's columns are read only for rows that pass; read together with the filters' columns, they cost a
 * fifth of the time. The primary index is used either way. FINAL picks one of several rows before it filters.
 *
 * @param columns what is selected.
 * @param groups GROUP BY, of each of the two.
 */
function chooseClicks(
  { range, filters }: Question,
  { columns, groups = "" }: { readonly columns: string; readonly groups?: string },
  { names, reading }: Scope,
  add: Add,
): string {
  const filtered = filters.flatMap((filter) => toConditions(filter, names, add));
  const where = `${reading.isOwn} AND ${toRange(range, add)}`;
  return partsOf(reading, range)
    .map(({ isFinal, condition }) =>
      isFinal
        ? `clicks FINAL WHERE ${[where, condition, ...filtered].join(" AND ")}`
        : `clicks ${filtered.length === 0 ? "" : `PREWHERE ${filtered.join(" AND ")} `}WHERE ${where} AND ${condition}`,
    )
    .map((clicks) => `SELECT ${columns} FROM ${clicks} ${groups}`)
    .join(" UNION ALL ");
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
  if (dimension === BOUND) {
    return [isInIds("link_id", names.linksWithin)];
  }
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

/** A share's set of visitors fits into a core's own cache then. */
const SHARE_CLICKS = 8_192;
const MAX_SHARES = 1_024;

/** A visitor is always in the same share, of a day. The narrower what clicks are grouped by, the faster: two bytes need no hash table. */
function shareOf({ clicks, fromS, toS }: Reading): string {
  const ofDay = clicks / Math.max(1, (toS - fromS) / 86_400);
  const shares = 2 ** Math.ceil(Math.log2(Math.max(1, ofDay / SHARE_CLICKS)));
  return `toUInt16(bitAnd(visitor, ${Math.min(MAX_SHARES, shares) - 1}))`;
}

const dayOf = (atMs: number): number => Math.floor(atMs / 86_400_000);

/** A UNION ALL names its columns as the first of its parts does. */
const NO_LIST =
  "0 AS matching_clicks, 0 AS matching_values, 0 AS total_clicks, emptyArrayUInt64() AS points, emptyArrayUInt64() AS all_points";

/** Visitors are counted day by day: the key of their hash changes with it, and small sets are faster. */
function countVisitors({ question, startsMs }: SeriesPart, list: number, scope: Scope, add: Add): string {
  const [first = 0, ...others] = startsMs;
  const isOneDay = dayOf(question.range.fromMs) === dayOf(question.range.toMs - 1);
  const keys = [
    ...(others.length === 0 ? [] : ["start"]),
    ...(isOneDay ? [] : ["toDate(quarter)"]),
    shareOf(scope.reading),
  ];
  const start = others.length === 0 ? String(toQuarter(first)) : startOf(startsMs, add);
  return `SELECT ${list} AS list, toString(start) AS value, sum(n) AS clicks, sum(seen) AS visitors, ${NO_LIST} FROM (
        SELECT ${start} AS start, count() AS n, arrayUniq(${VISITORS}) AS seen
        FROM (${chooseClicks(question, { columns: "quarter, visitor" }, scope, add)}) GROUP BY ${keys.join(", ")}
      ) GROUP BY start`;
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

export type List = SeriesPart | BreakdownPart;

/** Dimensions that a projection counts by (migrations/clickhouse). */
const COUNTED: readonly (readonly Filter["dimension"][])[] = [
  ["class", "country"],
  ["class", "browser", "os", "device"],
  ["class", "referrer"],
];

/** Whether a list, counted alone, comes from a projection: it reads few rows. */
function isCounted(list: List): boolean {
  const { range, filters } = list.question;
  const asked = [
    ...filters.map(({ dimension }) => dimension),
    ...(list.kind === "series" ? [] : [list.dimension]),
  ];
  return (
    [range.fromMs, range.toMs].every((edgeMs) => edgeMs % QUARTER_MS === 0) &&
    COUNTED.some((dimensions) => asked.every((one) => dimensions.includes(one)))
  );
}

/**
 * Lists that only count clicks, and the same ones, are counted together; others alone. No two lists of a group have the same key: equal
 * grouping sets would count into one.
 */
export function groupLists(lists: readonly List[]): readonly (readonly [List, ...List[]])[] {
  const groups = new Map<string, [List, ...List[]]>();
  const seen = new Map<string, number>();
  for (const [index, part] of lists.entries()) {
    const isAlone =
      part.visitors === true ||
      isCounted(part) ||
      (part.kind === "breakdown" &&
        (part.dimension === "tag" || part.startsMs !== undefined || part.search !== undefined));
    const by = part.kind === "series" ? part.startsMs.map(toQuarter) : part.dimension;
    const same = JSON.stringify([part.question, by]);
    const count = (seen.get(same) ?? 0) + 1;
    seen.set(same, count);
    const key = JSON.stringify(isAlone ? index : [part.question, count]);
    const [first = part, ...more] = groups.get(key) ?? [];
    groups.set(key, first === part ? [part] : [first, ...more, part]);
  }
  return [...groups.values()];
}

/** In one statement with one proof; rows have the number of their list. */
export function countLists(lists: readonly List[], scope: Scope): Query {
  const { parameters, add } = createParameters();
  const texts = groupLists(lists).map((group) => {
    const [part] = group;
    const numbers = group.map((list) => lists.indexOf(list) + 1);
    return part.kind === "series" && part.visitors
      ? countVisitors(part, lists.indexOf(part) + 1, scope, add)
      : countGroup(group, numbers, scope, add);
  });
  const nothing = ["0", "NULL", "0", "0", "0", "0", "0", "[]", "[]"];
  const query = withProof({ text: texts.join(" UNION ALL "), parameters }, nothing, scope);
  return { ...query, text: `SELECT * FROM (${query.text}) ${LARGEST_FIRST} ${SETTINGS}` };
}

/** @param lists of one group: most of the time goes into choosing the clicks, which is done once. @param numbers of the lists. */
function countGroup(
  lists: readonly [List, ...List[]],
  numbers: readonly number[],
  scope: Scope,
  add: Add,
): string {
  const [part] = lists;
  const { visitors = false } = part;
  const keys = lists.map((one, index) => keyOf(one, `key_${index}`, add));
  const texts = keys.map(({ text }) => text).join(", ");
  const isOne = keys.length === 1;
  const place = isOne
    ? "1"
    : `indexOf([${keys.map((_key, index) => `grouping(key_${index})`).join(", ")}], 0)`;
  const groups = isOne
    ? "key_0"
    : `GROUPING SETS (${keys.map((_key, index) => `(key_${index})`).join(", ")})`;
  const points =
    part.kind === "series" || part.startsMs === undefined
      ? "emptyArrayUInt64()"
      : `countResample(1, ${part.startsMs.length + 1}, 1)(${bucketOf(part.startsMs, add)})`;
  const columns = `${keys.map(({ key }, index) => `${key} AS key_${index}`).join(", ")}, ${place} AS place, count() AS n,
      ${visitors ? VISITORS : NO_VISITORS} AS visitor_keys, ${points} AS points`;
  const counted = `SELECT *, sum(n) OVER (PARTITION BY place) AS all_clicks
    FROM (${chooseClicks(part.question, { columns, groups: `GROUP BY ${groups}` }, scope, add)})`;
  const isTag = part.kind === "breakdown" && part.dimension === "tag";
  const limits = lists.map((one) => (one.kind === "series" ? one.startsMs.length : one.limit));
  return `SELECT list, nullIf(text, '') AS value, clicks, visitors, sum(clicks) OVER of_list AS matching_clicks,
        count() OVER of_list AS matching_values, total_clicks, points, sumForEach(points) OVER of_list AS all_points
      FROM (
        SELECT [${numbers.join(", ")}][place] AS list, [${texts}][place] AS text, sum(n) AS clicks,
          arrayUniq(groupArrayArray(visitor_keys)) AS visitors, max(all_clicks) AS total_clicks, sumForEach(points) AS points
        FROM (${counted}) AS counted ${isTag ? `LEFT JOIN (${linksOfTags(scope.names, add)}) AS tagged ON key_0 = link` : ""}
        GROUP BY list, text
      )
      WHERE clicks > 0 AND ${part.kind === "series" ? "1" : isMatching(part, scope.names, add)}
      WINDOW of_list AS (PARTITION BY list)
      ${LARGEST_FIRST} LIMIT ${Math.max(...limits)} BY list`;
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
function keyOf(part: List, name: string, add: Add): Key {
  if (part.kind === "series") {
    return { key: startOf(part.startsMs, add), text: `toString(${name})` };
  }
  if (part.dimension === "link" || part.dimension === "tag") {
    return { key: "link_id", text: part.dimension === "tag" ? "tag" : name };
  }
  return { key: `concat('=', ${placeOf(part.dimension)})`, text: `substring(${name}, 2)` };
}

/** The rows of one of the lists. */
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
  const read = ["event_id", "clicked_at", ...CLICK_DIMENSIONS.map(columnOf)];
  const clauses = ["1"];
  if (after !== null) {
    const instant = `fromUnixTimestamp64Micro(${add("Int64", /^\d{1,16}$/.test(after.atUs) ? after.atUs : "0")}, 'UTC')`;
    clauses.push(`clicked_at <= ${instant}`);
    clauses.push(`(clicked_at < ${instant} OR toString(event_id) < ${add("String", after.eventId)})`);
  }
  const text = `SELECT toString(event_id) AS id, toString(toUnixTimestamp64Micro(toDateTime64(clicked_at, 6, 'UTC'))) AS at_us,
        ${columns.join(", ")}
      FROM (${chooseClicks(question, { columns: read.join(", ") }, scope, add)}) WHERE ${clauses.join(" AND ")}
      ORDER BY clicked_at DESC, id DESC LIMIT ${add("UInt32", limit)}`;
  return withProof({ text, parameters }, ["''", "''", ...columns.map(() => "NULL")], scope);
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
