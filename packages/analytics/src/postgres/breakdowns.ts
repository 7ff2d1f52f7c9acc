/** The statement of all breakdowns of a request: what several of them need is read once. */
import { type SQL, sql } from "drizzle-orm";
import type { Dimension } from "../dimension.ts";
import { type Breakdown, type BreakdownPart, subtractPoints } from "../engine.ts";
import { bucketOf, toCounts } from "./counts.ts";
import { type Hits, selectHits } from "./hits.ts";
import type { Row, Statement } from "./snapshot.ts";
import { createStatementTables, type StatementTables } from "./statement-tables.ts";
import { selectVisitors, visitorScopeOf } from "./visitors.ts";

type Found = Omit<Breakdown, "complete">;

export type CountedBreakdowns = Statement<readonly Found[]> & {
  /** By breakdown: the multiranges in which it reads single clicks. */
  readonly eventSpans: readonly (readonly SQL[])[];
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

type Selected = { readonly query: SQL; readonly eventSpans: readonly SQL[] };

/** SELECT of the values of a breakdown in any order, with the sums of all of them in each row. */
function selectBreakdown(asked: BreakdownPart, tables: StatementTables): Selected {
  const { dimension, limit, search } = asked;
  const { counted, total, eventSpans } = countByValue(asked, tables);
  const labelled = sql`(SELECT value, clicks, visitors, ${labelOf(dimension)} AS label FROM ${counted})`;
  const matching =
    search === "" ? sql`true` : sql`strpos(lower(coalesce(label, value::text)), lower(${search}::text)) > 0`;
  const common = sql`sum(clicks) OVER () AS matching_clicks, count(*) OVER () AS matching_values`;
  const top = tables.addOwn(
    "top",
    sql`SELECT *, ${common} FROM ${search === "" ? counted : labelled} AS found WHERE ${matching}
      ORDER BY clicks DESC, value LIMIT ${limit}`,
  );
  const points = selectPoints(asked, top, tables);
  const query = sql`SELECT top.value::text AS value, label, clicks::float8 AS clicks, visitors::float8 AS visitors,
      matching_clicks::float8 AS matching_clicks, matching_values::float8 AS matching_values,
      (${total})::float8 AS total_clicks, points, all_points
    FROM ${top} AS top${search === "" ? sql` CROSS JOIN LATERAL (SELECT ${labelOf(dimension)} AS label) AS labels` : sql``}
    ${points.query}`;
  return { query, eventSpans: [...eventSpans, ...points.eventSpans] };
}

const NO_POINTS: Selected = {
  query: sql`CROSS JOIN (SELECT NULL::json AS points, NULL::json AS all_points) AS line`,
  eventSpans: [],
};

/**
 * JOIN of the clicks of the values in `top` by bucket, and of those of all values: by far fewer cells have them than those of every
 * value in every bucket. Values are compared as text, so that NULL equals itself.
 */
function selectPoints(
  { question, dimension, startsMs }: BreakdownPart,
  top: SQL,
  tables: StatementTables,
): Selected {
  if (startsMs === null) {
    return NO_POINTS;
  }
  const bucket = bucketOf(startsMs);
  const countIn = (hits: SQL) =>
    sql`SELECT value, bucket, sum(clicks) AS clicks FROM (${hits}) AS hits GROUP BY 1, 2`;
  const inBuckets = ({ query }: Hits) =>
    sql`SELECT value, ${bucket} AS bucket, clicks FROM (${query}) AS hits`;
  const isTag = dimension === "tag";
  const among = isTag ? undefined : sql`SELECT COALESCE(value::text, '') FROM ${top} AS top`;
  const listed = selectHits(question, { dimension, among, boundariesMs: startsMs }, tables);
  const counted = countIn(inBuckets(listed));
  const byBucket = tables.addOwn(
    "by_bucket",
    isTag ? countIn(selectTags(counted, sql`bucket, clicks`)) : counted,
  );
  // A click counts for each tag of its link.
  const all = isTag ? null : selectHits(question, { boundariesMs: startsMs }, tables);
  const key = (table: string) => sql`COALESCE(${sql.raw(table)}.value::text, '')`;
  return {
    query: sql`JOIN (
      SELECT ${key("one")} AS key, json_object_agg(bucket, one.clicks::float8) AS points
      FROM ${byBucket} AS one JOIN ${top} AS listed ON ${key("listed")} = ${key("one")} GROUP BY 1
    ) AS line ON line.key = ${key("top")}
    CROSS JOIN (
      SELECT json_object_agg(bucket, clicks) AS all_points FROM (
        SELECT bucket, sum(clicks)::float8 AS clicks
        FROM ${all === null ? byBucket : sql`(${inBuckets(all)})`} AS one GROUP BY bucket
      ) AS sums
    ) AS sums`,
    eventSpans: [...listed.eventSpans, ...(all?.eventSpans ?? [])],
  };
}

type CountedValues = {
  /** Table (value, clicks, visitors). A click on a link with two tags counts for both. */
  readonly counted: SQL;
  /** SELECT of all clicks, each once. */
  readonly total: SQL;
  readonly eventSpans: readonly SQL[];
};

function countByValue(
  { question, dimension, visitors }: BreakdownPart,
  tables: StatementTables,
): CountedValues {
  const scope = visitors ? visitorScopeOf({ ...question, dimension }) : null;
  const isFromEvents = visitors && scope === null;
  const hits = selectHits(question, { dimension, visitors: isFromEvents }, tables);
  const unique = isFromEvents ? sql`count(DISTINCT visitor)` : sql`NULL::bigint`;
  const countIn = (clicked: SQL) =>
    sql`SELECT value, sum(clicks) AS clicks, ${unique} AS visitors FROM ${clicked} AS clicked GROUP BY value`;
  const ofHits = sql`(${hits.query})`;
  if (scope !== null) {
    const seen = selectVisitors(question, scope, [question.range.fromMs]);
    const counted = tables.addOwn(
      "counted",
      sql`SELECT value, clicks, COALESCE(seen.visitors, 0) AS visitors FROM (${countIn(ofHits)}) AS clicked
        LEFT JOIN (${seen.query}) AS seen ON seen.key = COALESCE(value::text, '')`,
    );
    return { counted, total: sumOf(counted), eventSpans: [...hits.eventSpans, seen.eventSpans] };
  }
  if (dimension === "tag") {
    const byLink = tables.addOwn(
      "by_link",
      sql`SELECT value, visitor, sum(clicks) AS clicks FROM ${ofHits} AS clicked GROUP BY 1, 2`,
    );
    const ofTags = selectTags(sql`SELECT * FROM ${byLink}`, sql`visitor, clicks`);
    const counted = tables.addOwn("counted", countIn(sql`(${ofTags})`));
    return { counted, total: sumOf(byLink), eventSpans: hits.eventSpans };
  }
  const counted = tables.addOwn("counted", countIn(ofHits));
  return { counted, total: sumOf(counted), eventSpans: hits.eventSpans };
}

/** SELECT of `columns`, and the tags in place of their links. */
function selectTags(byLink: SQL, columns: SQL): SQL {
  return sql`SELECT tag AS value, ${columns} FROM (${byLink}) AS by_link
    LEFT JOIN links ON links.id = by_link.value LEFT JOIN LATERAL unnest(links.tags) AS tag ON true`;
}

function sumOf(counted: SQL): SQL {
  return sql`SELECT sum(clicks) FROM ${counted}`;
}

function labelOf(dimension: Dimension): SQL {
  if (dimension === "link") {
    return sql`(SELECT domains.host || '/' || links.slug FROM links JOIN domains ON domains.id = links.domain_id
        WHERE links.id = value)`;
  }
  return dimension === "domain" ? sql`(SELECT host FROM domains WHERE id = value)` : sql`NULL::text`;
}

function toBreakdown(rows: readonly Row[], { visitors, startsMs }: BreakdownPart): Found {
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
function toPoints(cell: unknown, startsMs: BreakdownPart["startsMs"]): readonly number[] {
  const byBucket = new Map(typeof cell === "object" && cell !== null ? Object.entries(cell) : []);
  return (startsMs ?? []).map((_start, index) => Number(byBucket.get(String(index + 1)) ?? 0));
}

function toText(cell: unknown): string | null {
  return typeof cell === "string" ? cell : null;
}
